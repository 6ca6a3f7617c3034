package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static dev.weir.store.tck.slots.Scene.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotState;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about assigning slots: which event gets which place in which window. */
interface AssignmentClaims extends Claims {
  @Test
  default void remembersAllOfASlot() {
    Scene scene = scene(4);
    scene.clock.move(Duration.ofMillis(1));

    Slot slot = scene.assign("a", at(0.5));

    assertThat(slot)
        .isEqualTo(
            new Slot(
                scene.id("a"),
                scene.configName,
                1,
                at(0.5),
                at(0),
                1,
                at(2),
                SlotState.ASSIGNED,
                at(0.001)));
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(slot);
    assertThat(slot.delay()).isEqualTo(Duration.ofMillis(1500));
  }

  @Test
  default void placesMirrorTheBitsOfTheirNumber() {
    assertThat(seconds(scene(8).assign("e", 9, at(0))))
        .containsExactly(0.0, 2.0, 1.0, 3.0, 0.5, 2.5, 1.5, 3.5, 4.0);
  }

  @Test
  default void requestInAWindowGetsWhatIsLeftOfIt() {
    Scene scene = scene(100);

    List<Slot> slots = scene.assign("e", 51, at(2));

    assertThat(slots.subList(0, 50)).allMatch(slot -> slot.windowStart().equals(at(0)));
    assertThat(slots).allMatch(slot -> !slot.scheduledTime().isBefore(at(2)));
    assertThat(slots.getLast().windowStart()).isEqualTo(at(4));
  }

  @Test
  default void requestsForDifferentTimesFillAWindowToItsLastPlace() {
    Scene scene = scene(100);
    scene.assign("late", 50, at(2));

    List<Slot> early = scene.assign("early", 51, at(0));

    assertThat(early.subList(0, 50)).allMatch(slot -> slot.windowStart().equals(at(0)));
    assertThat(early.getLast().windowStart()).isEqualTo(at(4));
  }

  @Test
  default void earliestWindowFirstAndNoHoles() {
    Scene scene = scene(3);

    for (int i = 0; i < 10; i++) {
      scene.assign("e" + i, at(0));
    }
    scene.assign("f", 10, at(0));

    assertThat(scene.windows())
        .containsExactly(
            count(0, 3),
            count(4, 3),
            count(8, 3),
            count(12, 3),
            count(16, 3),
            count(20, 3),
            count(24, 2));
  }

  @Test
  default void freeWindowBetweenFullOnesIsFound() {
    Scene scene = scene(2);
    scene.assign("right", 4, at(8));
    scene.assign("left", 2, at(0));

    assertThat(scene.assign("between", at(0)).windowStart()).isEqualTo(at(4));
    assertThat(scene.assign("between2", at(0)).windowStart()).isEqualTo(at(4));
    assertThat(scene.assign("behind", at(0)).windowStart()).isEqualTo(at(16));
    assertThat(scene.assign("inside", at(9)).windowStart()).isEqualTo(at(16));
  }

  @Test
  default void saysHowManyWindowsItPassedOver() {
    Scene scene = scene(1);
    scene.assign("e", 5, at(0));

    assertThat(scene.tryAssign("f", at(0)))
        .isInstanceOfSatisfying(
            Assignment.Assigned.class, given -> assertThat(given.lookahead()).isEqualTo(5));
  }

  @Test
  default void configurationsDoNotShareACount() {
    Scene one = scene(2);
    SlotConfig other = one.otherConfig(SlotPolicy.of(2, WINDOW));
    one.assign("e", 2, at(0));

    Slot free = Scene.assign(one.node.ledger(), one.request("f", at(0), other));

    assertThat(free.scheduledTime()).isEqualTo(at(0));
    assertThat(free.configName()).isEqualTo(other.name());
  }

  @Test
  default void batchMayNameSeveralConfigurations() {
    Scene scene = scene(1);
    SlotConfig other = scene.otherConfig(SlotPolicy.of(1, WINDOW));

    List<Assignment> results =
        scene.assignAll(
            scene.request("a", at(0)),
            scene.request("b", at(0), other),
            scene.request("c", at(0)),
            scene.request("d", at(0), other));

    assertThat(seconds(results.stream().map(Scene::slot).toList()))
        .containsExactly(0.0, 0.0, 4.0, 4.0);
  }

  @Test
  default void repeatedRequestGetsTheSameSlotAndCostsNothing() {
    Scene scene = scene(2);
    Slot first = scene.assign("a", at(0));

    assertThat(scene.tryAssign("a", at(60))).isEqualTo(new Assignment.Assigned(first, true, 0));

    assertThat(scene.windows()).containsExactly(count(0, 1));
    assertThat(scene.assign("b", at(0)).windowStart()).isEqualTo(at(0));
  }

  @Test
  default void eventHasOneSlotWhateverTheConfiguration() {
    Scene scene = scene(2);
    SlotConfig other = scene.otherConfig(SlotPolicy.of(2, WINDOW));
    Slot first = scene.assign("a", at(0));

    assertThat(Scene.assign(scene.node.ledger(), scene.request("a", at(60), other)))
        .isEqualTo(first);
  }

  @Test
  default void duplicatesInOneBatchAreOneEvent() {
    Scene scene = scene(1);

    List<Assignment> results =
        scene.assignAll(
            scene.request("a", at(0)),
            scene.request("b", at(0)),
            scene.request("a", at(0)),
            scene.request("a", at(100)));

    assertThat(results)
        .extracting(result -> Scene.slot(result).scheduledTime())
        .containsExactly(at(0), at(4), at(0), at(0));
    assertThat(results)
        .extracting(result -> ((Assignment.Assigned) result).replayed())
        .containsExactly(false, false, true, true);
    assertThat(scene.windows()).containsExactly(count(0, 1), count(4, 1));
  }

  @Test
  default void unknownConfigurationIsReportedAndTheRestIsAssigned() {
    Scene scene = scene(1);
    SlotConfig nowhere = new SlotConfig("nowhere", 1, SlotPolicy.of(1, WINDOW), at(0));

    List<Assignment> results =
        scene
            .node
            .ledger()
            .assign(List.of(scene.request("a", at(0), nowhere), scene.request("b", at(0))));

    assertThat(results.getFirst()).isInstanceOf(Assignment.UnknownConfig.class);
    assertThat(Scene.slot(results.getLast()).scheduledTime()).isEqualTo(at(0));
    assertThat(scene.node.ledger().find(scene.id("a"))).isEmpty();
  }

  @Test
  default void emptyBatchReturnsNothing() {
    assertThat(scene(1).node.ledger().assign(List.of())).isEmpty();
  }

  @Test
  default void staleConfigurationDoesNoHarm() {
    Scene scene = scene(100);
    AssignRequest stale = scene.request("a", at(0));
    scene.configure(SlotPolicy.of(1, WINDOW));

    assertThat(Scene.assign(scene.node.ledger(), stale).configVersion()).isEqualTo(2);
    assertThat(Scene.assign(scene.node.ledger(), scene.request("b", at(0))).scheduledTime())
        .isEqualTo(at(4));
  }

  @Test
  default void idsMayBeAnyText() {
    Scene scene = scene(100);
    List<String> ids =
        List.of(
            "it's; drop table slot; --",
            "\"quoted\" \\ back\\slash {a,b} $1 ? ::text %s",
            "日本語 — naïve",
            "\uD83D\uDE80 astral",
            "\uFFFD\uE000",
            "null",
            "tab\tline\nfeed",
            "NULL,\"NULL\"");

    List<Slot> slots =
        scene
            .node
            .ledger()
            .assign(ids.stream().map(id -> scene.request(id, at(0))).toList())
            .stream()
            .map(Scene::slot)
            .toList();

    for (int i = 0; i < ids.size(); i++) {
      assertThat(slots.get(i).eventId()).isEqualTo(scene.id(ids.get(i)));
      assertThat(scene.node.ledger().find(scene.id(ids.get(i)))).contains(slots.get(i));
      assertThat(scene.assign(ids.get(i), at(50))).isEqualTo(slots.get(i));
    }
    assertThat(scene.list(SlotQuery.Filter.ALL, 3)).containsExactlyInAnyOrderElementsOf(slots);
  }

  @Test
  default void idOfMaxLengthIsKept() {
    Scene scene = scene(1);
    SlotRequest request = new SlotRequest("\uD83D\uDE80".repeat(128), scene.configName, at(0));

    Slot slot = Scene.assign(scene.node.ledger(), new AssignRequest(request, scene.config()));

    assertThat(scene.node.ledger().find(request.eventId())).contains(slot);
    scene.node.ledger().cancel(request.eventId());
  }

  /** The bound of the specification: any interval has little more than its share of events. */
  @Test
  default void anyIntervalHoldsLittleMoreThanItsShare() {
    Scene scene = scene(100);
    scene.assign("e", 1_000, at(1.3));
    long[] micros =
        scene.all().stream()
            .mapToLong(slot -> Duration.between(at(0), slot.scheduledTime()).toNanos() / 1_000)
            .toArray();
    double extra = Math.log(100) / Math.log(2) / 3 + 1;

    for (int from = 0; from < micros.length; from++) {
      for (int until : IntStream.range(from + 1, Math.min(from + 250, micros.length)).toArray()) {
        double share = (micros[until] - micros[from]) * 100 / 4e6;
        assertThat(until - from).isLessThanOrEqualTo((int) (share + extra));
      }
      if (from > 0) {
        assertThat(micros[from] - micros[from - 1]).isGreaterThanOrEqualTo(4_000_000 / 200);
      }
    }
  }
}
