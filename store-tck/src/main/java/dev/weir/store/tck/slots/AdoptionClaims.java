package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.Assignment;
import dev.weir.slots.Calendar;
import dev.weir.slots.NotBefore;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.Overfull;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import dev.weir.store.tck.internal.Crowd;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims about events that are taken over with the times that another system has given them. */
interface AdoptionClaims extends Claims {
  @Test
  default void adoptedEventKeepsItsTimeAndTakesAPlaceOfItsWindow() {
    Scene scene = scene(2);

    Slot adopted = adopt(scene, "a", 1.234567);

    assertThat(adopted)
        .isEqualTo(
            new Slot(
                scene.id("a"),
                scene.configName,
                1,
                at(1.234567),
                at(0),
                Slot.ADOPTED,
                at(1.234567),
                SlotState.ASSIGNED,
                Scene.NOON));
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(adopted);
    assertThat(scene.all()).containsExactly(adopted);
    assertThat(scene.windows()).containsExactly(count(0, 1));
    assertThat(scene.assign("b", at(0)).windowStart()).isEqualTo(at(0));
    assertThat(scene.assign("c", at(0)).windowStart()).isEqualTo(at(4));
  }

  /** The nearest of the places 0, 2, 1 and 3 seconds is that of 3 seconds. */
  @Test
  default void adoptedEventTakesTheNearestFreePlace() {
    Scene scene = scene(4);
    adopt(scene, "a", 3.4);

    assertThat(Scene.seconds(scene.assign("b", 4, at(0)))).containsExactly(0.0, 2.0, 1.0, 4.0);
  }

  @Test
  default void requestedTimeAndStateAreKept() {
    Scene scene = scene(2);
    AdoptRequest request =
        new AdoptRequest(scene.id("a"), at(5), Optional.of(at(1)), SlotState.CONFIRMED);

    Slot adopted = adopted(adopt(scene, Overfull.REFUSE, request).getFirst());

    assertThat(adopted.requestedTime()).isEqualTo(at(1));
    assertThat(adopted.state()).isEqualTo(SlotState.CONFIRMED);
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(adopted);
    assertThat(scene.cancel("a")).isEqualTo(new Transition.Conflict(adopted));
  }

  @Test
  default void adoptedAgainWithTheSameTimeChangesNothing() {
    Scene scene = scene(3);
    Slot first = adopt(scene, "a", 1);
    AdoptRequest again = request(scene, "a", 1);
    AdoptRequest twice = request(scene, "b", 2);

    List<Adoption> results = adopt(scene, Overfull.REFUSE, again, twice, twice);

    Slot second = adopted(results.get(1));
    assertThat(results.getFirst()).isEqualTo(new Adoption.Repeated(first));
    assertThat(results.get(2)).isEqualTo(new Adoption.Repeated(second));
    assertThat(scene.all()).containsExactly(first, second);
    assertThat(scene.windows()).containsExactly(count(0, 2));
  }

  @Test
  default void knownEventIsNotChanged() {
    Scene scene = scene(3);
    SlotConfig other = scene.otherConfig(SlotPolicy.of(3, WINDOW));
    Slot assigned = scene.assign("a", at(0));
    Slot elsewhere = Scene.assign(scene.node.ledger(), scene.request("b", at(0), other));
    AdoptRequest otherTime = request(scene, "a", 1);
    AdoptRequest otherConfig = request(scene, "b", 0);

    assertThat(adopt(scene, Overfull.ACCEPT, otherTime, otherConfig))
        .containsExactly(
            new Adoption.Conflict(otherTime, assigned),
            new Adoption.Conflict(otherConfig, elsewhere));

    assertThat(scene.all()).containsExactly(assigned);
    assertThat(scene.windows()).containsExactly(count(0, 1));
  }

  /** Otherwise a list that is sent again would bring back what was cancelled meanwhile. */
  @Test
  default void cancelledEventIsNotAdoptedAgain() {
    Scene scene = scene(3);
    Slot cancelled = adopt(scene, "a", 1).in(SlotState.CANCELLED);
    scene.cancel("a");

    assertThat(adopt(scene, Overfull.ACCEPT, request(scene, "a", 1)))
        .containsExactly(new Adoption.Repeated(cancelled));

    assertThat(scene.windows()).isEmpty();
  }

  @Test
  default void windowWithoutAPlaceRefusesFurtherEvents() {
    Scene scene = scene(3);
    scene.assign("e", 2, at(0));
    AdoptRequest last = request(scene, "a", 1);
    AdoptRequest tooMany = request(scene, "b", 1.5);
    AdoptRequest next = request(scene, "c", 4.5);

    List<Adoption> results = adopt(scene, Overfull.REFUSE, last, tooMany, next);

    adopted(results.getFirst());
    assertThat(results.get(1)).isEqualTo(new Adoption.Full(tooMany, at(0), 3));
    adopted(results.get(2));
    assertThat(adopt(scene, Overfull.REFUSE, tooMany)).containsExactly(results.get(1));
    assertThat(scene.windows()).containsExactly(count(0, 3), count(4, 1));
    assertThat(scene.node.ledger().find(scene.id("b"))).isEmpty();
  }

  @Test
  default void overfullWindowIsCountedAndGetsNoFurtherEvent() {
    Scene scene = scene(2);
    AdoptRequest[] events =
        IntStream.range(0, 5)
            .mapToObj(i -> request(scene, "a" + i, 4 + i * 0.7))
            .toArray(AdoptRequest[]::new);

    List<Slot> adopted =
        adopt(scene, Overfull.ACCEPT, events).stream().map(AdoptionClaims::adopted).toList();

    assertThat(adopted)
        .extracting(Slot::place)
        .containsExactly(
            Slot.ADOPTED,
            Slot.ADOPTED,
            Slot.ADOPTED_OVERFULL,
            Slot.ADOPTED_OVERFULL,
            Slot.ADOPTED_OVERFULL);
    assertThat(scene.windows()).containsExactly(count(4, 5));
    assertThat(scene.assign("b", at(4)).windowStart()).isEqualTo(at(8));
    for (int i = 0; i < 3; i++) {
      scene.cancel("a" + i);
      assertThat(scene.assign("c" + i, at(4)).windowStart()).isNotEqualTo(at(4));
    }
    scene.cancel("a3");
    assertThat(scene.assign("d", at(4)).windowStart()).isEqualTo(at(4));
    assertThat(scene.windows().getFirst()).isEqualTo(count(4, 2));
  }

  /** A later event that is adopted finds the window full although its row is not read for plans. */
  @Test
  default void fullWindowBecomesOverfullByALaterCall() {
    Scene scene = scene(2);
    scene.assign("e", 6, at(0));

    adopted(adopt(scene, Overfull.ACCEPT, request(scene, "a", 5)).getFirst());

    assertThat(scene.windows()).containsExactly(count(0, 2), count(4, 3), count(8, 2));
    assertThat(scene.assign("b", at(0)).windowStart()).isEqualTo(at(12));
    scene.cancel("e2");
    assertThat(scene.assign("c", at(0)).windowStart()).isEqualTo(at(12));
  }

  @Test
  default void adoptedEventsFillARunOfWindows() {
    Scene scene = scene(1);
    AdoptRequest[] events =
        IntStream.of(3, 0, 2, 5, 1)
            .mapToObj(i -> request(scene, "a" + i, 4 * i + 1.5))
            .toArray(AdoptRequest[]::new);

    adopt(scene, Overfull.REFUSE, events).forEach(AdoptionClaims::adopted);

    assertThat(scene.assign("b", at(0)).windowStart()).isEqualTo(at(16));
    assertThat(scene.assign("c", at(0)).windowStart()).isEqualTo(at(24));
    scene.cancel("a1");
    assertThat(scene.assign("d", at(0)).windowStart()).isEqualTo(at(4));
  }

  @Test
  default void placesOfAdoptedEventsAreFreeAgain() {
    Scene scene = scene(2);
    adopt(scene, "a", 0.1);
    adopt(scene, "b", 3.9);
    scene.cancel("a");

    assertThat(scene.assign("c", at(0)).scheduledTime()).isEqualTo(at(0));
    assertThat(scene.assign("d", at(0)).windowStart()).isEqualTo(at(4));
  }

  @Test
  default void adoptedEventsAreCarriedOverLikeOthers() {
    Scene scene = scene(4);
    adopt(scene, "a", 9.9);
    adopt(scene, "b", 10.1);
    scene.assign("e", at(8));

    scene.configure(SlotPolicy.of(2, WINDOW.dividedBy(2)));

    assertThat(scene.windows()).containsExactly(count(8, 2), count(10, 1));
    assertThat(scene.assign("c", at(8)).windowStart()).isEqualTo(at(10));
    assertThat(scene.assign("d", at(8)).windowStart()).isEqualTo(at(12));
  }

  /** Windows of a time before a change are not stored until they are needed. */
  @Test
  default void eventsAreAdoptedInWindowsBeforeAChange() {
    Scene scene = scene(2);
    scene.assign("e", 3, at(0));
    scene.clock.set(at(60));
    scene.configure(SlotPolicy.of(3, WINDOW));
    AdoptRequest tooMany = request(scene, "c", 2);

    List<Adoption> results =
        adopt(
            scene,
            Overfull.REFUSE,
            request(scene, "a", 6),
            request(scene, "b", 1),
            tooMany,
            request(scene, "d", 100));

    assertThat(results.get(2)).isEqualTo(new Adoption.Full(tooMany, at(0), 3));
    assertThat(scene.windows()).containsExactly(count(0, 3), count(4, 2), count(100, 1));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(4));
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(8));
  }

  @Test
  default void pastMayBeAdoptedAlsoWhereItIsOver() {
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withNotBefore(NotBefore.NOW));
    scene.clock.set(at(100));

    assertThat(adopt(scene, "a", 1).scheduledTime()).isEqualTo(at(1));
    assertThat(scene.assign("b", at(0)).scheduledTime()).isEqualTo(at(100));
  }

  @Test
  default void closedWindowHasNoPlaceButCountsWhatIsAccepted() {
    Calendar oneMinute =
        new OpeningHours(
            ZoneId.of("UTC"),
            Map.of(
                DayOfWeek.MONDAY,
                List.of(OpeningHours.Hours.of(LocalTime.parse("12:01"), LocalTime.parse("12:02")))),
            Set.of());
    Scene scene = scene(SlotPolicy.of(2, WINDOW).withCalendar(oneMinute));
    AdoptRequest closed = request(scene, "a", 1);
    AdoptRequest open = request(scene, "b", 61);

    assertThat(adopt(scene, Overfull.REFUSE, closed))
        .containsExactly(new Adoption.Full(closed, at(0), 0));
    adopted(adopt(scene, Overfull.REFUSE, open).getFirst());
    adopt(scene, Overfull.ACCEPT, closed, request(scene, "c", 2)).forEach(AdoptionClaims::adopted);
    adopted(adopt(scene, Overfull.ACCEPT, request(scene, "d", 3)).getFirst());

    assertThat(scene.windows()).containsExactly(count(0, 3), count(60, 1));
    assertThat(scene.assign("e", at(0)).windowStart()).isEqualTo(at(60));
    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(64));
  }

  @Test
  default void unknownConfigurationAdoptsNothing() {
    Scene scene = scene(1);
    AdoptRequest request = request(scene, "a", 1);

    assertThat(scene.node.ledger().adopt("unknown", List.of(request), Overfull.ACCEPT))
        .containsExactly(new Adoption.UnknownConfig(request));
    assertThat(scene.node.ledger().find(scene.id("a"))).isEmpty();
  }

  @Test
  default void otherNodesKnowOfAdoptedEventsImmediately() {
    Scene scene = scene(2);
    Node other = scene.anotherNode();
    Scene.assign(other.ledger(), scene.request("e", at(4)));
    Scene.assign(scene.node.ledger(), scene.request("f", at(100)));

    adopt(scene, "a", 5);

    assertThat(Scene.assign(other.ledger(), scene.request("b", at(4))).windowStart())
        .isEqualTo(at(8));
    assertThat(Scene.assign(scene.node.ledger(), scene.request("c", at(4))).windowStart())
        .isEqualTo(at(8));
  }

  /** Two nodes adopt the same events while both assign others for the same windows. */
  @Test
  default void nodesThatAdoptAndAssignAtTheSameTimeNeverExceedTheLimit() {
    Scene scene = scene(5);
    List<Node> nodes = List.of(scene.node, scene.anotherNode());
    List<Callable<Long>> callers = new ArrayList<>();
    for (int caller = 0; caller < 8; caller++) {
      int number = caller;
      Node node = nodes.get(caller % 2);
      callers.add(
          caller < 4
              ? () -> adoptOneByOne(scene, node)
              : () ->
                  IntStream.range(0, 20)
                      .mapToObj(i -> scene.request("e" + number + "-" + i, at(0)))
                      .map(request -> Scene.assign(node.ledger(), request))
                      .filter(slot -> !slot.isAdopted())
                      .count());
    }

    long adopted = Crowd.concurrently(callers).stream().mapToLong(Long::longValue).sum() - 80;

    List<Slot> slots = scene.all();
    assertThat(slots).filteredOn(Slot::isAdopted).hasSize((int) adopted);
    assertThat(slots).filteredOn(slot -> !slot.isAdopted()).hasSize(80);
    assertThat(scene.windows()).allMatch(window -> window.taken() <= 5);
    assertThat(scene.windows().stream().mapToInt(window -> window.taken()).sum())
        .isEqualTo(slots.size());
  }

  /** Returns how many events this caller has taken over. */
  private static long adoptOneByOne(Scene scene, Node node) {
    return IntStream.range(0, 20)
        .mapToObj(i -> request(scene, "a" + i, 2.0 * i + 0.3))
        .map(
            request ->
                node.ledger().adopt(scene.configName, List.of(request), Overfull.REFUSE).getFirst())
        .filter(Adoption.Adopted.class::isInstance)
        .count();
  }

  @Test
  default void adoptedEventThatIsRequestedKeepsItsSlot() {
    Scene scene = scene(2);
    Slot adopted = adopt(scene, "a", 1.5);

    assertThat(scene.tryAssign("a", at(0))).isEqualTo(new Assignment.Assigned(adopted, true, 0));
    assertThat(scene.confirm("a")).isEqualTo(new Transition.Done(adopted.in(SlotState.CONFIRMED)));
  }

  private static AdoptRequest request(Scene scene, String name, double seconds) {
    return AdoptRequest.of(scene.id(name), at(seconds));
  }

  private static Slot adopt(Scene scene, String name, double seconds) {
    return adopted(adopt(scene, Overfull.REFUSE, request(scene, name, seconds)).getFirst());
  }

  private static List<Adoption> adopt(Scene scene, Overfull overfull, AdoptRequest... requests) {
    return scene.node.ledger().adopt(scene.configName, List.of(requests), overfull);
  }

  private static Slot adopted(Adoption adoption) {
    assertThat(adoption).isInstanceOf(Adoption.Adopted.class);
    return ((Adoption.Adopted) adoption).slot();
  }
}
