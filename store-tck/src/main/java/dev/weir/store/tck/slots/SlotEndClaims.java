package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims about confirming and cancelling slots, and about their places afterwards. */
interface SlotEndClaims extends Claims {
  @Test
  default void confirmingIsKeptAndMayBeRepeated() {
    Scene scene = scene(1);
    Slot confirmed = scene.assign("a", at(0)).in(SlotState.CONFIRMED);

    assertThat(scene.confirm("a")).isEqualTo(new Transition.Done(confirmed));
    assertThat(scene.confirm("a")).isEqualTo(new Transition.Done(confirmed));

    assertThat(scene.node.ledger().find(scene.id("a"))).contains(confirmed);
    assertThat(scene.assign("a", at(50))).isEqualTo(confirmed);
  }

  @Test
  default void cancellingIsKeptAndMayBeRepeated() {
    Scene scene = scene(1);
    Slot cancelled = scene.assign("a", at(0)).in(SlotState.CANCELLED);

    assertThat(scene.cancel("a")).isEqualTo(new Transition.Done(cancelled));
    assertThat(scene.cancel("a")).isEqualTo(new Transition.Done(cancelled));

    assertThat(scene.node.ledger().find(scene.id("a"))).contains(cancelled);
    assertThat(scene.windows()).isEmpty();
  }

  @Test
  default void unknownEventsCannotEnd() {
    Scene scene = scene(1);

    assertThat(scene.cancel("unknown")).isEqualTo(new Transition.Unknown());
    assertThat(scene.confirm("unknown")).isEqualTo(new Transition.Unknown());
  }

  @Test
  default void confirmedCannotBeCancelled() {
    Scene scene = scene(1);
    Slot confirmed = scene.assign("a", at(0)).in(SlotState.CONFIRMED);
    scene.confirm("a");

    assertThat(scene.cancel("a")).isEqualTo(new Transition.Conflict(confirmed));
    assertThat(scene.windows()).containsExactly(count(0, 1));
  }

  @Test
  default void cancelledCannotBeConfirmed() {
    Scene scene = scene(1);
    Slot cancelled = scene.assign("a", at(0)).in(SlotState.CANCELLED);
    scene.cancel("a");

    assertThat(scene.confirm("a")).isEqualTo(new Transition.Conflict(cancelled));
  }

  @Test
  default void cancelledPlaceIsGivenAgain() {
    Scene scene = scene(4);
    List<Slot> slots = scene.assign("e", 4, at(0));
    scene.cancel("e2");

    Slot again = scene.assign("f", at(0));

    assertThat(again.place()).isEqualTo(slots.get(2).place());
    assertThat(again.scheduledTime()).isEqualTo(slots.get(2).scheduledTime());
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(4));
  }

  @Test
  default void cancelledPlaceInTheMiddleOfFullWindowsIsFound() {
    Scene scene = scene(2);
    scene.assign("e", 20, at(0));
    scene.cancel("e9");

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(16));
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(40));
  }

  @Test
  default void everyWindowOfARunCanBeOpenedAndFilledAgain() {
    Scene scene = scene(1);
    scene.assign("e", 9, at(0));

    for (int i : new int[] {0, 8, 4, 3, 5, 1, 7, 2, 6}) {
      scene.cancel("e" + i);
      if (i % 2 == 0) {
        assertThat(scene.assign("again" + i, at(4.0 * i)).windowStart()).isEqualTo(at(4.0 * i));
      }
    }
    for (int i = 1; i < 9; i += 2) {
      assertThat(scene.assign("again" + i, at(0)).windowStart()).isEqualTo(at(4.0 * i));
    }
    assertThat(scene.assign("behind", at(0)).windowStart()).isEqualTo(at(36));
  }

  @Test
  default void cancelledEventCanBeAssignedAgain() {
    Scene scene = scene(2);
    scene.assign("a", at(0));
    scene.cancel("a");

    Slot again = scene.assign("a", at(60));

    assertThat(again.scheduledTime()).isEqualTo(at(60));
    assertThat(again.state()).isEqualTo(SlotState.ASSIGNED);
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(again);
    assertThat(scene.all()).containsExactly(again);
    assertThat(scene.windows()).containsExactly(count(60, 1));
  }

  @Test
  default void cancelledEventCanBeAssignedInAnotherConfiguration() {
    Scene scene = scene(2);
    SlotConfig other = scene.otherConfig(SlotPolicy.of(2, WINDOW));
    scene.assign("a", at(0));
    scene.cancel("a");

    Slot again = Scene.assign(scene.node.ledger(), scene.request("a", at(0), other));

    assertThat(again.configName()).isEqualTo(other.name());
    assertThat(scene.all()).isEmpty();
  }

  @Test
  default void cancelledEventTwiceInABatchGetsOneNewSlot() {
    Scene scene = scene(2);
    scene.assign("a", at(0));
    scene.cancel("a");
    AssignRequest request = scene.request("a", at(8));

    List<Slot> again =
        scene.node.ledger().assign(List.of(request, request)).stream().map(Scene::slot).toList();

    assertThat(again.getFirst()).isEqualTo(again.getLast());
    assertThat(scene.windows()).containsExactly(count(8, 1));
  }

  @Test
  default void pastPlaceIsFreeAgainWhereThePastIsKept() {
    Scene scene = scene(1);
    scene.assign("a", at(0));
    scene.clock.set(at(60));
    scene.cancel("a");

    assertThat(scene.assign("b", at(0)).scheduledTime()).isEqualTo(at(0));
  }

  @Test
  default void pastPlaceStaysTakenWhereThePastIsOver() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withNotBefore(NotBefore.NOW));
    scene.assign("e", 2, at(0));
    scene.clock.set(at(1));

    scene.cancel("e0");

    assertThat(scene.windows()).containsExactly(count(0, 2));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(4));
  }

  @Test
  default void placeAheadIsFreeAgainWhereThePastIsOver() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withNotBefore(NotBefore.NOW));
    scene.assign("e", 2, at(0));
    scene.clock.set(at(1));
    scene.cancel("e1");

    assertThat(scene.assign("f", at(0)).scheduledTime()).isEqualTo(at(2));
  }
}
