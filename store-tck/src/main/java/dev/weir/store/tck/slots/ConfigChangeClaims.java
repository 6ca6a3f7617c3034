package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Claims about changes of configurations: their versions, and the slots assigned before. */
interface ConfigChangeClaims extends Claims {
  Duration SECOND = Duration.ofSeconds(1);

  @Test
  default void versionsAreKept() {
    SlotPolicy first = SlotPolicy.of(100, WINDOW);
    Scene scene = scene(first);
    scene.clock.set(at(1));
    SlotPolicy second =
        SlotPolicy.of(50, SECOND)
            .withSpread(Spread.RANDOM)
            .withMaxDelay(Duration.ofDays(3))
            .withNotBefore(NotBefore.NOW)
            .withPausedUntil(at(7))
            .withCalendar(
                new OpeningHours(
                    ZoneId.of("Asia/Kathmandu"),
                    Map.of(
                        DayOfWeek.FRIDAY,
                        List.of(OpeningHours.Hours.of(LocalTime.of(22, 0), LocalTime.of(6, 0)))),
                    Set.of(LocalDate.of(2026, 12, 25), LocalDate.of(2027, 1, 1))));

    SlotConfig changed = scene.configure(second);

    assertThat(changed).isEqualTo(new SlotConfig(scene.configName, 2, second, at(1)));
    assertThat(scene.node.configs().inForce(scene.configName)).contains(changed);
    assertThat(scene.node.configs().history(scene.configName))
        .containsExactly(changed, new SlotConfig(scene.configName, 1, first, at(0)));
    assertThat(scene.node.configs().active())
        .contains(changed)
        .isSortedAccordingTo((one, other) -> one.name().compareTo(other.name()));
  }

  @Test
  default void onlyTheExpectedVersionIsChanged() {
    Scene scene = scene(1);
    SlotConfigs configs = scene.node.configs();
    SlotPolicy two = SlotPolicy.of(2, WINDOW);

    assertThat(configs.configure(scene.configName, 0, two)).as("exists").isEmpty();
    assertThat(configs.configure(scene.configName, 2, two)).as("not yet").isEmpty();
    assertThat(configs.history(scene.configName)).hasSize(1);

    SlotConfig changed = configs.configure(scene.configName, 1, two).orElseThrow();
    assertThat(changed).isEqualTo(new SlotConfig(scene.configName, 2, two, at(0)));
    assertThat(configs.inForce(scene.configName)).contains(changed);
    assertThat(configs.configure(scene.configName, 1, two)).as("no longer").isEmpty();
  }

  @Test
  default void anAbsentConfigurationIsCreatedOnce() {
    Scene scene = scene(1);
    SlotConfigs configs = scene.node.configs();
    String name = scene.configName + "-new";
    SlotPolicy policy = SlotPolicy.of(1, WINDOW);

    assertThat(configs.configure(name, 1, policy)).isEmpty();
    assertThat(configs.inForce(name)).isEmpty();
    assertThat(configs.configure(name, 0, policy)).contains(new SlotConfig(name, 1, policy, at(0)));
    assertThat(configs.configure(name, 0, policy)).isEmpty();
  }

  @Test
  default void unknownConfigurationHasNoVersions() {
    Scene scene = scene(1);

    assertThat(scene.node.configs().inForce("nowhere")).isEmpty();
    assertThat(scene.node.configs().history("nowhere")).isEmpty();
  }

  @Test
  default void raisedLimitLeavesTheDifference() {
    Scene scene = scene(100);
    scene.assign("e", 80, at(0));
    scene.configure(SlotPolicy.of(200, WINDOW));

    List<Slot> more = scene.assign("f", 121, at(0));

    assertThat(more.subList(0, 120)).allMatch(slot -> slot.windowStart().equals(at(0)));
    assertThat(more.getLast().windowStart()).isEqualTo(at(4));
    assertThat(more).allMatch(slot -> slot.configVersion() == 2);
    assertThat(scene.windows()).containsExactly(count(0, 200), count(4, 1));
  }

  @Test
  default void loweredLimitMakesAWindowFull() {
    Scene scene = scene(100);
    List<Slot> before = scene.assign("e", 80, at(0));
    scene.configure(SlotPolicy.of(50, WINDOW));

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(4));
    assertThat(scene.windows()).containsExactly(count(0, 80), count(4, 1));
    assertThat(scene.all()).containsAll(before);
  }

  @Test
  default void fullWindowsOpenWhenTheLimitIsRaised() {
    Scene scene = scene(2);
    scene.assign("e", 20, at(0));
    scene.configure(SlotPolicy.of(3, WINDOW));

    assertThat(scene.assign("f", 11, at(0)))
        .extracting(Slot::windowStart)
        .containsExactly(
            at(0), at(4), at(8), at(12), at(16), at(20), at(24), at(28), at(32), at(36), at(40));
  }

  @Test
  default void cancelledInALoweredWindowFreesOnlyWhatIsUnderTheLimit() {
    Scene scene = scene(4);
    scene.assign("e", 4, at(0));
    scene.configure(SlotPolicy.of(2, WINDOW));

    scene.cancel("e0");
    scene.cancel("e3");
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(4));
    scene.cancel("e2");
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(0));
  }

  @Test
  default void occupancyAheadIsCarriedOverToSmallerWindows() {
    Scene scene = scene(4);
    scene.assign("e", 8, at(0));
    scene.configure(SlotPolicy.of(1, SECOND));

    assertThat(scene.windows())
        .containsExactly(
            count(0, 1),
            count(1, 1),
            count(2, 1),
            count(3, 1),
            count(4, 1),
            count(5, 1),
            count(6, 1),
            count(7, 1));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(8));
  }

  @Test
  default void occupancyAheadIsCarriedOverToLargerWindows() {
    Scene scene = scene(SlotPolicy.of(2, SECOND));
    scene.assign("e", 9, at(0));
    scene.configure(SlotPolicy.of(10, WINDOW));

    assertThat(scene.windows()).containsExactly(count(0, 8), count(4, 1));
    assertThat(scene.assign("f", 3, at(0)))
        .extracting(Slot::windowStart)
        .containsExactly(at(0), at(0), at(4));
  }

  @Test
  default void whatIsAddedToCarriedWindowsKeepsItsDistance() {
    Scene scene = scene(SlotPolicy.of(2, SECOND));
    scene.assign("e", 8, at(0));
    scene.configure(SlotPolicy.of(16, WINDOW));

    scene.assign("f", 8, at(0));

    assertThat(scene.windows()).containsExactly(count(0, 16));
    assertThat(scene.all()).extracting(Slot::scheduledTime).doesNotHaveDuplicates();
  }

  @Test
  default void windowsBeforeAChangeOfSizeAreCountedRightAsWell() {
    Scene scene = scene(4);
    scene.assign("past", 6, at(-40));
    scene.assign("ahead", 5, at(40));
    scene.configure(SlotPolicy.of(2, Duration.ofSeconds(2)));

    assertThat(scene.windows())
        .containsExactly(
            count(-40, 2),
            count(-38, 2),
            count(-36, 1),
            count(-34, 1),
            count(40, 2),
            count(42, 2),
            count(44, 1));
    assertThat(scene.assign("more", 4, at(-40)))
        .extracting(Slot::windowStart)
        .containsExactly(at(-36), at(-34), at(-32), at(-32));
    assertThat(scene.windows(at(-39), at(-33)))
        .containsExactly(count(-38, 2), count(-36, 2), count(-34, 2));
  }

  @Test
  default void windowThatIsUnderWayIsCarriedOverWhole() {
    Scene scene = scene(4);
    scene.assign("e", 4, at(0));
    scene.clock.set(at(2.5));
    scene.configure(SlotPolicy.of(2, WINDOW));

    assertThat(scene.windows()).containsExactly(count(0, 4));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(4));
  }

  @Test
  default void oldSizeAndBackFindsTheOldPlaces() {
    Scene scene = scene(4);
    List<Slot> first = scene.assign("a", 3, at(0));
    scene.configure(SlotPolicy.of(3, Duration.ofSeconds(3)));
    Slot between = scene.assign("b", at(3));
    scene.configure(SlotPolicy.of(4, WINDOW));

    Slot last = scene.assign("c", at(0));

    assertThat(scene.all()).containsAll(first).contains(between);
    assertThat(scene.windows()).containsExactly(count(0, 4), count(4, 1));
    assertThat(List.of(between.windowStart(), last.windowStart())).containsExactly(at(3), at(4));
  }

  @Test
  default void cancellingAfterAChangeOfSizeFreesTheRightWindow() {
    Scene scene = scene(4);
    scene.assign("e", 8, at(0));
    scene.configure(SlotPolicy.of(2, Duration.ofSeconds(2)));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(8));

    // Scheduled at 6 s: with the new size, in the window from 6 s to 8 s.
    scene.cancel("e5");

    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(6));
    assertThat(scene.windows())
        .containsExactly(count(0, 2), count(2, 2), count(4, 2), count(6, 2), count(8, 1));
  }

  @Test
  default void changeOfOtherFieldsKeepsWindows() {
    Scene scene = scene(2);
    scene.assign("e", 5, at(0));

    scene.configure(SlotPolicy.of(2, WINDOW).withMaxDelay(Duration.ofSeconds(10)));

    assertThat(scene.windows()).containsExactly(count(0, 2), count(4, 2), count(8, 1));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(8));
  }

  @Test
  default void calendarMayComeAndGo() {
    OpeningHours afternoon =
        new OpeningHours(
            ZoneId.of("UTC"),
            Map.of(
                DayOfWeek.MONDAY,
                List.of(OpeningHours.Hours.of(LocalTime.of(12, 0, 8), LocalTime.of(13, 0)))),
            Set.of());
    Scene scene = scene(2);
    scene.assign("e", 5, at(0));

    scene.configure(SlotPolicy.of(2, WINDOW).withCalendar(afternoon));
    assertThat(scene.assign("f", 2, at(0)))
        .extracting(Slot::scheduledTime)
        .containsExactly(at(10), at(12));
    scene.cancel("e0");
    scene.configure(SlotPolicy.of(2, WINDOW).withCalendar(Calendar.ALWAYS));
    assertThat(scene.assign("g", 2, at(0)))
        .extracting(Slot::scheduledTime)
        .containsExactly(at(0), at(14));
  }

  @Test
  default void spreadMayChangeWithSlotsInFlight() {
    Scene scene = scene(SlotPolicy.of(4, WINDOW).withSpread(Spread.RANDOM));
    scene.assign("e", 6, at(0));
    scene.configure(SlotPolicy.of(4, WINDOW));

    assertThat(scene.assign("f", 3, at(0)))
        .extracting(Slot::windowStart)
        .containsExactly(at(4), at(4), at(8));
  }

  @Test
  default void deepBacklogIsCarriedOver() {
    Scene scene = scene(SlotPolicy.of(10, SECOND));
    for (int i = 0; i < 10; i++) {
      scene.assign("e" + i + "-", 1_000, at(0));
    }

    scene.configure(SlotPolicy.of(20, SECOND));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(0));
    scene.configure(SlotPolicy.of(10, SECOND));
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(1_000));
    scene.configure(SlotPolicy.of(9, SECOND));
    assertThat(scene.assign("h", at(0)).windowStart()).isEqualTo(at(1_000));
  }
}
