package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Claims that the reconciler relies on: leaked slots, retention, one node at a time. */
interface UpkeepClaims extends Claims {
  /** Returns a scene on a store without slots, because upkeep covers all configurations. */
  default Scene sceneOnEmptyStore(SlotPolicy policy) {
    Scene scene = scene(policy);
    removeAll(scene);
    return scene;
  }

  static void removeAll(Scene scene) {
    int removed = 1;
    while (removed > 0) {
      removed = scene.node.upkeep().removePast(Instant.MAX, 10_000);
    }
  }

  @Test
  default void countsTheLeakedUpToABound() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(4, WINDOW));
    SlotConfig other = scene.otherConfig(SlotPolicy.of(4, WINDOW));
    scene.assign("e", 8, at(0));
    Scene.assign(scene.node.ledger(), scene.request("other", at(0), other));
    Scene.assign(scene.node.ledger(), scene.request("another", at(600), other));
    scene.confirm("e0");
    scene.confirm("another");
    scene.cancel("e1");

    assertThat(scene.node.upkeep().countLeaked(at(0), 10)).isZero();
    assertThat(scene.node.upkeep().countLeaked(at(4), 10)).isEqualTo(3);
    assertThat(scene.node.upkeep().countLeaked(at(60), 10)).isEqualTo(7);
    assertThat(scene.node.upkeep().countLeaked(at(60), 5)).isEqualTo(5);
  }

  /** Confirming is optional: where nobody does, every slot would look leaked for ever. */
  @Test
  default void countsNoSlotAsLeakedWhereNoneWasEverConfirmed() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(4, WINDOW));
    SlotConfig other = scene.otherConfig(SlotPolicy.of(4, WINDOW));
    scene.assign("e", 3, at(0));
    Scene.assign(scene.node.ledger(), scene.request("other", at(0), other));
    scene.cancel("e2");

    assertThat(scene.node.upkeep().countLeaked(at(60), 10)).isZero();
    scene.confirm("e0");
    assertThat(scene.node.upkeep().countLeaked(at(60), 10)).isOne();
  }

  @Test
  default void reclaimsWhatLeakedAndNothingElse() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    scene.assign("e", 6, at(0));
    scene.confirm("e0");

    assertThat(scene.node.upkeep().reclaim(at(8), 2)).isEqualTo(2);
    assertThat(scene.node.upkeep().reclaim(at(8), 2)).isEqualTo(1);
    assertThat(scene.node.upkeep().reclaim(at(8), 2)).isZero();

    assertThat(Scene.seconds(scene.list(SlotQuery.Filter.RECLAIMED, 2)))
        .containsExactly(2.0, 4.0, 6.0);
    assertThat(scene.windows()).containsExactly(count(0, 1), count(8, 2));
    assertThat(scene.confirm("e1")).isInstanceOf(Transition.Conflict.class);
    assertThat(scene.cancel("e1"))
        .isInstanceOfSatisfying(
            Transition.Done.class,
            done -> assertThat(done.slot().state()).isEqualTo(SlotState.RECLAIMED));
  }

  /** A slot that was just assigned is not leaked: its caller had no time to start the event. */
  @Test
  default void slotForAPastTimeLeaksAfterItsAssignment() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    Slot slot = scene.assign("a", at(-120));

    assertThat(scene.node.upkeep().countLeaked(at(-60), 10)).isZero();
    assertThat(scene.node.upkeep().reclaim(at(-60), 10)).isZero();
    assertThat(scene.node.upkeep().reclaim(at(0), 10)).isZero();
    assertThat(scene.assign("b", at(-120)).windowStart()).isEqualTo(at(-116));
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(slot);

    scene.assign("c", at(120));
    scene.confirm("c");
    scene.clock.set(at(9));
    assertThat(scene.node.upkeep().countLeaked(at(1), 10)).isEqualTo(2);
    assertThat(scene.node.upkeep().reclaim(at(1), 10)).isEqualTo(2);
  }

  @Test
  default void reassignedEventLeaksAfterItsNewAssignment() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    scene.assign("a", at(-120));
    scene.cancel("a");
    scene.clock.set(at(60));
    Slot again = scene.assign("a", at(-120));

    assertThat(scene.node.upkeep().reclaim(at(30), 10)).isZero();
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(again);
  }

  @Test
  default void slotForAPastTimeIsKeptFromItsAssignmentOn() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    Slot slot = scene.assign("a", at(-3600));
    scene.assign("b", at(-3600));
    scene.cancel("b");

    assertThat(scene.node.upkeep().removePast(at(-60), 10)).isZero();
    assertThat(scene.node.upkeep().removePast(at(0), 10)).isZero();

    assertThat(scene.assign("a", at(50))).isEqualTo(slot);
    assertThat(scene.confirm("a")).isInstanceOf(Transition.Done.class);
    assertThat(scene.windows()).containsExactly(count(-3600, 1));
    assertThat(scene.node.upkeep().removePast(at(1), 10)).isEqualTo(2);
    assertThat(scene.node.ledger().find(scene.id("a"))).isEmpty();
    assertThat(scene.windows()).isEmpty();
  }

  /** A window that lost only some of its slots would assign their places again after a recount. */
  @Test
  default void windowWithALateSlotKeepsAllItsSlots() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    scene.assign("e", 3, at(-60));
    scene.clock.set(at(60));
    Slot late = scene.assign("late", at(-60));
    assertThat(late.windowStart()).isEqualTo(at(-56));

    assertThat(scene.node.upkeep().removePast(at(30), 10)).isEqualTo(2);
    assertThat(scene.node.upkeep().removePast(at(30), 10)).isZero();

    assertThat(scene.all())
        .extracting(Slot::eventId)
        .containsExactlyInAnyOrder(scene.id("e2"), scene.id("late"));
    scene.configure(SlotPolicy.of(3, WINDOW));
    scene.configure(SlotPolicy.of(2, WINDOW));
    assertThat(scene.assign("f", at(-56)).windowStart()).isEqualTo(at(-52));

    assertThat(scene.node.upkeep().removePast(at(61), 10)).isEqualTo(3);
    assertThat(scene.all()).isEmpty();
  }

  @Test
  default void windowsBehindOneWithALateSlotAreRemoved() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    scene.assign("a", at(-60));
    scene.assign("e", 7, at(-52));
    scene.clock.set(at(60));
    Slot late = scene.assign("late", at(-60));

    assertThat(scene.node.upkeep().removePast(at(30), 2)).isEqualTo(2);
    assertThat(scene.node.upkeep().removePast(at(30), 2)).isEqualTo(2);
    assertThat(scene.node.upkeep().removePast(at(30), 10)).isEqualTo(3);

    assertThat(scene.all()).hasSize(2).contains(late);
  }

  @Test
  default void reclaimsOfAllConfigurations() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    SlotConfig other = scene.otherConfig(SlotPolicy.of(2, WINDOW));
    scene.assign("e", 2, at(0));
    Scene.assign(scene.node.ledger(), scene.request("other", at(0), other));

    assertThat(scene.node.upkeep().reclaim(at(60), 10)).isEqualTo(3);
  }

  @Test
  default void reclaimedPlaceAndEventCanBeAssignedAgain() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    scene.assign("e", 3, at(0));
    scene.node.upkeep().reclaim(at(2), 10);

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(0));
    assertThat(scene.assign("e0", at(0)).windowStart()).isEqualTo(at(12));
  }

  @Test
  default void reclaimsAcrossAChangeOfSize() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(4, WINDOW));
    scene.assign("e", 8, at(0));
    scene.configure(SlotPolicy.of(2, Duration.ofSeconds(2)));
    scene.assign("f", 2, at(0));
    scene.clock.set(at(60));

    assertThat(scene.node.upkeep().reclaim(at(5), 100)).isEqualTo(5);

    assertThat(scene.windows()).containsExactly(count(4, 1), count(6, 2), count(8, 2));
    assertThat(scene.assign("g", 6, at(0)))
        .extracting(Slot::windowStart)
        .containsExactly(at(0), at(0), at(2), at(2), at(4), at(10));
  }

  @Test
  default void removesThePastInSmallSteps() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    scene.assign("e", 8, at(0));
    scene.confirm("e0");
    scene.cancel("e2");

    assertThat(scene.node.upkeep().removePast(at(8), 1)).isEqualTo(2);
    assertThat(Scene.seconds(scene.all())).containsExactly(4.0, 6.0, 8.0, 10.0, 12.0, 14.0);
    assertThat(scene.node.upkeep().removePast(at(8), 1)).isEqualTo(2);
    assertThat(scene.node.upkeep().removePast(at(8), 1)).isZero();

    assertThat(Scene.seconds(scene.all())).containsExactly(8.0, 10.0, 12.0, 14.0);
    assertThat(scene.windows()).containsExactly(count(8, 2), count(12, 2));
    assertThat(scene.node.ledger().find(scene.id("e0"))).isEmpty();
  }

  @Test
  default void windowsAreKeptAsLongAsTheirSlots() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    scene.assign("e", 6, at(0));

    scene.node.upkeep().removePast(at(24), 4);

    assertThat(Scene.seconds(scene.all())).hasSize(2);
    assertThat(scene.windows()).contains(count(16, 1), count(20, 1));
    assertThat(scene.assign("f", at(16)).windowStart()).isEqualTo(at(24));
  }

  @Test
  default void windowThatHasNotEndedKeepsAllItsSlots() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(4, WINDOW));
    scene.assign("e", 8, at(0));

    assertThat(scene.node.upkeep().removePast(at(6), 100)).isEqualTo(4);

    assertThat(scene.windows()).containsExactly(count(4, 4));
    scene.configure(SlotPolicy.of(5, WINDOW));
    assertThat(scene.windows()).containsExactly(count(4, 4));
    scene.configure(SlotPolicy.of(4, WINDOW));
    assertThat(scene.assign("f", at(4)).windowStart()).isEqualTo(at(8));
  }

  @Test
  default void removedIdCanBeAssignedAgain() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    scene.assign("a", at(0));
    scene.node.upkeep().removePast(at(60), 100);

    assertThat(scene.assign("a", at(60)).scheduledTime()).isEqualTo(at(60));
  }

  @Test
  default void removedPastIsFreeOnEveryNode() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    Node other = scene.anotherNode();
    scene.assign("e", 3, at(0));
    scene.node.upkeep().removePast(at(8), 100);

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(0));
    assertThat(Scene.assign(other.ledger(), scene.request("g", at(0))).windowStart())
        .isEqualTo(at(4));
    assertThat(scene.assign("h", at(0)).windowStart()).isEqualTo(at(12));
  }

  @Test
  default void removedPastOfAnEarlierSizeIsFreeOnEveryNode() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(1, WINDOW));
    scene.assign("e", 3, at(-40));
    scene.configure(SlotPolicy.of(1, Duration.ofSeconds(2)));
    assertThat(scene.assign("f", at(-40)).windowStart()).isEqualTo(at(-38));

    scene.node.upkeep().removePast(at(1), 100);

    assertThat(scene.assign("g", at(-40)).windowStart()).isEqualTo(at(-40));
  }

  @Test
  default void tidyingTakesNothingThatIsRead() {
    Scene scene = sceneOnEmptyStore(SlotPolicy.of(2, WINDOW));
    scene.assign("e", 5, at(-8));
    scene.configure(SlotPolicy.of(3, WINDOW));
    scene.assign("f", 5, at(0));
    var windows = scene.windows();
    var slots = scene.all();

    int tidied = 1;
    while (tidied > 0) {
      tidied = scene.node.upkeep().tidy(1_000);
    }

    assertThat(scene.windows()).isEqualTo(windows);
    assertThat(scene.all()).isEqualTo(slots);
    assertThat(scene.assign("g", at(-8)).windowStart()).isEqualTo(at(-8));
  }

  @Test
  default void exclusiveWorkRunsAndItsFailureIsThrown() {
    Scene scene = scene(1);
    AtomicInteger done = new AtomicInteger();

    assertThat(scene.node.upkeep().runExclusively(done::incrementAndGet)).isTrue();
    assertThat(scene.node.upkeep().runExclusively(done::incrementAndGet)).isTrue();

    assertThat(done).hasValue(2);
  }
}
