package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.NOON;
import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.Assignment;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Claims about the times of slots: past, future, delays, pauses, calendars, the end of time. */
interface TimeClaims extends Claims {
  @Test
  default void timeLeftOutIsNow() {
    Scene scene = scene(4);
    scene.clock.set(at(8.5));

    Slot slot = scene.assignNow("a");

    assertThat(slot.requestedTime()).isEqualTo(at(8.5));
    assertThat(slot.scheduledTime()).isEqualTo(at(10));
  }

  @Test
  default void pastIsHonoured() {
    assertThat(scene(4).assign("a", at(-3600)).scheduledTime()).isEqualTo(at(-3600));
  }

  @Test
  default void notBeforeNowIsKept() {
    Scene scene = scene(SlotPolicy.of(4, WINDOW).withNotBefore(NotBefore.NOW));
    scene.clock.set(at(0.5));

    Slot slot = scene.assign("a", at(-3600));

    assertThat(slot.requestedTime()).isEqualTo(at(-3600));
    assertThat(slot.scheduledTime()).isEqualTo(at(2));
    assertThat(scene.assign("b", at(40)).scheduledTime()).isEqualTo(at(40));
  }

  @Test
  default void clockThatGoesBackGivesTheTimeAgain() {
    Scene scene = scene(SlotPolicy.of(1, WINDOW).withNotBefore(NotBefore.NOW));
    scene.clock.set(at(8));
    scene.assignNow("e0");
    scene.assignNow("e1");
    scene.clock.set(at(3));

    assertThat(scene.assignNow("f").scheduledTime()).isEqualTo(at(4));
    assertThat(scene.assignNow("g").scheduledTime()).isEqualTo(at(16));
  }

  @Test
  default void timesAreExactToTheMicrosecondAndNeverTooEarly() {
    Scene scene = scene(SlotPolicy.of(500, Duration.ofMillis(1)));

    Slot exact = scene.assign("a", at(0.000_001));
    Slot between = scene.assign("b", NOON.plusNanos(1_500));

    assertThat(exact.requestedTime()).isEqualTo(at(0.000_001));
    assertThat(exact.scheduledTime()).isEqualTo(at(0.000_500));
    assertThat(between.requestedTime()).isEqualTo(at(0.000_002));
    assertThat(between.scheduledTime()).isEqualTo(at(0.000_250));
  }

  @Test
  default void refusesWhenNoPlaceIsWithinTheMaxDelay() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withMaxDelay(Duration.ofSeconds(6)));
    assertThat(scene.assign("e", 4, at(0))).hasSize(4);

    Assignment refused = scene.tryAssign("f", at(0));

    assertThat(refused)
        .isEqualTo(noCapacity(scene, "f", at(0), Optional.of(at(8)), Optional.empty()));
    assertThat(scene.node.ledger().find(scene.id("f"))).isEmpty();
    assertThat(scene.windows()).containsExactly(count(0, 2), count(4, 2));
    assertThat(scene.assign("f", at(2)).scheduledTime()).isEqualTo(at(8));
  }

  private static Assignment.NoCapacity noCapacity(
      Scene scene,
      String event,
      Instant requested,
      Optional<Instant> free,
      Optional<Duration> retryAfter) {
    return new Assignment.NoCapacity(scene.request(event, requested).request(), free, retryAfter);
  }

  /** If the delay counts from the requested time, waiting does not extend it. */
  @Test
  default void waitingDoesNotHelpARequestThatNamesItsTime() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withMaxDelay(Duration.ofSeconds(3)));
    scene.assign("e", 2, at(0));
    Assignment refused = noCapacity(scene, "f", at(0), Optional.of(at(4)), Optional.empty());

    assertThat(scene.tryAssign("f", at(0))).isEqualTo(refused);
    scene.clock.set(at(3600));
    assertThat(scene.tryAssign("f", at(0))).isEqualTo(refused);
  }

  /** The promised retry time is exact: a moment earlier is too early. */
  @Test
  default void retryAfterOfARequestForNowComesTrue() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withMaxDelay(Duration.ofSeconds(3)));
    scene.assign("e", 2, at(0));
    scene.assign("g", 2, at(4));

    assertThat(scene.tryAssignNow("f"))
        .isEqualTo(
            new Assignment.NoCapacity(
                scene.requestNow("f").request(),
                Optional.of(at(8)),
                Optional.of(Duration.ofSeconds(5))));
    scene.clock.set(at(4.999_999));
    assertThat(scene.tryAssignNow("f")).isInstanceOf(Assignment.NoCapacity.class);
    scene.clock.set(at(5));
    assertThat(scene.assignNow("f").scheduledTime()).isEqualTo(at(8));
  }

  @Test
  default void retryAfterOfAPauseComesTrue() {
    Scene scene =
        scene(
            SlotPolicy.of(2, WINDOW)
                .withNotBefore(NotBefore.NOW)
                .withMaxDelay(Duration.ofSeconds(3))
                .withPausedUntil(at(60)));

    assertThat(scene.tryAssign("f", at(0)))
        .isEqualTo(
            noCapacity(
                scene, "f", at(0), Optional.of(at(60)), Optional.of(Duration.ofSeconds(57))));
    scene.clock.set(at(57));
    assertThat(scene.assign("f", at(0)).scheduledTime()).isEqualTo(at(60));
  }

  @Test
  default void retryAfterCountsFromNowWhereThePastIsNot() {
    Scene scene =
        scene(
            SlotPolicy.of(1, WINDOW)
                .withNotBefore(NotBefore.NOW)
                .withMaxDelay(Duration.ofSeconds(5)));
    scene.assign("e", 2, at(0));

    assertThat(scene.tryAssign("f", at(-3600)))
        .isInstanceOfSatisfying(
            Assignment.NoCapacity.class,
            noCapacity -> assertThat(noCapacity.retryAfter()).contains(Duration.ofSeconds(3)));
  }

  @Test
  default void refusalInABatchLeavesTheOthersAlone() {
    Scene scene = scene(SlotPolicy.of(1, WINDOW).withMaxDelay(Duration.ofSeconds(1)));

    List<Assignment> results =
        scene.assignAll(
            scene.request("a", at(0)),
            scene.request("b", at(0)),
            scene.request("c", at(4)),
            scene.request("b", at(8)));

    assertThat(results)
        .extracting(result -> result instanceof Assignment.Assigned)
        .containsExactly(true, false, true, true);
  }

  @Test
  default void nothingIsGivenBeforeAPauseEnds() {
    Scene scene = scene(SlotPolicy.of(4, WINDOW).withPausedUntil(at(9)));

    assertThat(scene.assign("a", at(0)).scheduledTime()).isEqualTo(at(10));
    assertThat(scene.assign("b", at(20)).scheduledTime()).isEqualTo(at(20));
  }

  @Test
  default void closedWindowsArePassedOver() {
    OpeningHours noonToOne =
        new OpeningHours(
            ZoneId.of("UTC"),
            Map.of(
                DayOfWeek.MONDAY,
                List.of(OpeningHours.Hours.of(LocalTime.of(12, 0), LocalTime.of(12, 0, 10))),
                DayOfWeek.TUESDAY,
                List.of(OpeningHours.Hours.of(LocalTime.of(8, 0), LocalTime.of(9, 0)))),
            Set.of(LocalDate.of(2026, 6, 2)));
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withCalendar(noonToOne));

    List<Slot> slots = scene.assign("e", 7, NOON);

    assertThat(slots.subList(0, 5))
        .extracting(Slot::scheduledTime)
        .containsExactly(at(0), at(2), at(4), at(6), at(8));
    // The rest of the last window is closed, and next Tuesday is a closed date.
    assertThat(slots.subList(5, 7))
        .extracting(Slot::scheduledTime)
        .containsExactly(at(7 * 86_400), at(7 * 86_400 + 2));
  }

  @Test
  default void hourThatTheClockLeavesOutIsPassedOver() {
    OpeningHours night =
        new OpeningHours(
            ZoneId.of("Europe/Berlin"),
            Map.of(DayOfWeek.SUNDAY, List.of(new OpeningHours.Hours(2 * 3600, 3 * 3600))),
            Set.of());
    Scene scene = scene(SlotPolicy.of(1, Duration.ofHours(1)).withCalendar(night));

    // On 29 March 2026 there was no hour between two and three in Berlin.
    assertThat(scene.assign("a", Instant.parse("2026-03-28T12:00:00Z")).scheduledTime())
        .isEqualTo(Instant.parse("2026-04-05T00:00:00Z"));
  }

  @Test
  default void randomSpreadKeepsTheLimitAndTheRequestedTime() {
    Scene scene = scene(SlotPolicy.of(20, WINDOW).withSpread(Spread.RANDOM));

    List<Slot> slots = scene.assign("e", 55, at(1));

    assertThat(slots).allMatch(slot -> !slot.scheduledTime().isBefore(at(1)));
    assertThat(slots)
        .allMatch(
            slot ->
                !slot.scheduledTime().isBefore(slot.windowStart())
                    && slot.scheduledTime().isBefore(slot.windowStart().plus(WINDOW)));
    assertThat(scene.windows()).containsExactly(count(0, 15), count(4, 20), count(8, 20));
    assertThat(slots).extracting(Slot::scheduledTime).doesNotHaveDuplicates();
  }

  @Test
  default void firstMomentOfTimeCanBeGiven() {
    Scene scene = scene(1);
    Instant first = Micros.instant(Micros.EARLIEST);

    assertThat(scene.assign("e", 2, first))
        .extracting(Slot::scheduledTime)
        .containsExactly(first, first.plus(WINDOW));
    assertThat(scene.all()).hasSize(2);
    assertThat(scene.windows()).hasSize(2);
  }

  @Test
  default void noSlotIsAvailableAfterTheEndOfTime() {
    Scene scene = scene(2);
    Instant last = Micros.instant(Micros.LATEST);
    Instant lastWindow = Instant.parse("9999-12-31T23:59:56Z");

    assertThat(scene.assign("e", 2, lastWindow))
        .extracting(Slot::scheduledTime)
        .containsExactly(lastWindow, lastWindow.plusSeconds(2));
    for (Instant time : List.of(lastWindow, last)) {
      assertThat(scene.tryAssign("f", time))
          .isEqualTo(noCapacity(scene, "f", time, Optional.empty(), Optional.empty()));
    }
    assertThat(scene.all()).hasSize(2);
    assertThat(scene.windows()).hasSize(1);
  }

  @Test
  default void lastMomentOfTimeItselfCanBeGiven() {
    Scene scene = scene(SlotPolicy.of(1_024, Duration.ofNanos(1_024_000)));
    Instant last = Micros.instant(Micros.LATEST);

    // A window with a place at every microsecond.
    assertThat(scene.tryAssign("a", last))
        .isInstanceOfSatisfying(
            Assignment.Assigned.class,
            given -> assertThat(given.slot().scheduledTime()).isEqualTo(last));
    assertThat(scene.all()).hasSize(1);
  }
}
