package dev.weir.store.tck.slots;

import static dev.weir.store.tck.slots.Scene.at;
import static dev.weir.store.tck.slots.Scene.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import dev.weir.slots.WindowCount;
import dev.weir.store.tck.internal.Crowd;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims about several nodes on one store, one after the other and concurrently. */
interface NodeClaims extends Claims {
  int THREADS = 64;

  @Test
  default void nodeNoticesWhatAnotherHasGiven() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();

    scene.assign("a", at(0));
    Scene.assign(other.ledger(), scene.request("b", at(0)));
    scene.assign("c", at(0));
    Scene.assign(other.ledger(), scene.request("d", at(0)));

    assertThat(scene.windows())
        .containsExactly(count(0, 1), count(4, 1), count(8, 1), count(12, 1));
  }

  /** In stretches of every length: a node may rely on being alone only until it is not. */
  @Test
  default void nodesThatTakeTurnsLeaveNoGap() {
    Scene scene = scene(3);
    Node other = scene.anotherNode();

    int events = 0;
    for (int stretch = 1; stretch <= 24; stretch++) {
      Node node = stretch % 2 == 0 ? scene.node : other;
      for (int i = 0; i < stretch; i++) {
        Slot slot = Scene.assign(node.ledger(), scene.request("e" + events, at(0)));
        int window = events / 3;
        assertThat(slot.windowStart()).isEqualTo(at(4.0 * window));
        assertThat(slot.place()).isEqualTo(events % 3);
        events++;
      }
    }
  }

  @Test
  default void nodeNoticesWhatAnotherHasCancelled() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();
    scene.assign("e", 5, at(0));

    other.ledger().cancel(scene.id("e2"));

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(8));
    assertThat(scene.assign("g", at(0)).windowStart()).isEqualTo(at(20));
  }

  @Test
  default void nodeNoticesWhatAnotherHasReclaimed() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();
    scene.assign("e", 5, at(0));

    assertThat(other.upkeep().reclaim(at(3), 10_000)).isPositive();

    assertThat(scene.assign("f", at(0)).windowStart()).isEqualTo(at(0));
  }

  @Test
  default void nodeNoticesWhatAnotherHasChanged() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();
    scene.assign("e", 5, at(0));

    other.configs().configure(scene.configName, SlotPolicy.of(2, WINDOW));
    Slot raised = scene.assign("f", at(0));
    other.configs().configure(scene.configName, SlotPolicy.of(1, WINDOW));
    Slot lowered = scene.assign("g", at(0));

    assertThat(raised.windowStart()).isEqualTo(at(0));
    assertThat(raised.configVersion()).isEqualTo(2);
    assertThat(lowered.windowStart()).isEqualTo(at(20));
    assertThat(lowered.configVersion()).isEqualTo(3);
  }

  @Test
  default void replayOnAnotherNodeIsTheSameSlot() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();
    Slot slot = scene.assign("a", at(0));

    assertThat(Scene.assign(other.ledger(), scene.request("a", at(9)))).isEqualTo(slot);
    assertThat(other.ledger().confirm(scene.id("a")))
        .isEqualTo(new Transition.Done(slot.in(SlotState.CONFIRMED)));
    assertThat(scene.node.ledger().find(scene.id("a"))).contains(slot.in(SlotState.CONFIRMED));
  }

  /** Overlapping ids, one configuration: no gap, no window over its limit, one slot per event. */
  @Test
  default void manyCallersFillWindowsWithoutGaps() {
    Scene scene = scene(7);
    int events = 350;

    List<Slot> given = assignConcurrently(scene, List.of(scene.config()), events);

    assertThat(scene.windows())
        .isEqualTo(IntStream.range(0, events / 7).mapToObj(i -> count(4.0 * i, 7)).toList());
    assertThat(Set.copyOf(scene.all())).isEqualTo(Set.copyOf(given));
    assertThat(given.stream().map(Slot::scheduledTime).distinct()).hasSize(events);
  }

  /** The same ids on several configurations, in any order: still one slot per event. */
  @Test
  default void manyCallersOnSeveralConfigurationsGetOneSlotForEachEvent() {
    Scene scene = scene(3);
    List<SlotConfig> configs =
        Stream.concat(
                Stream.of(scene.config()),
                Stream.generate(() -> scene.otherConfig(SlotPolicy.of(3, WINDOW))).limit(3))
            .toList();

    Set<Slot> given = new HashSet<>(assignConcurrently(scene, configs, 200));

    assertThat(given).hasSize(200);
    int held = 0;
    for (SlotConfig config : configs) {
      List<WindowCount> windows =
          Scene.windows(scene.node.ledger(), config, Scene.FIRST, Scene.LAST);
      int inConfig = windows.stream().mapToInt(WindowCount::taken).sum();
      // All windows but the last are full: no place was lost to a duplicate that came second.
      for (int i = 0; i < windows.size(); i++) {
        assertThat(windows.get(i)).isEqualTo(count(4.0 * i, Math.min(3, inConfig - 3 * i)));
      }
      held += inConfig;
    }
    assertThat(held).isEqualTo(200);
  }

  /**
   * Each of many callers requests all events, in its own order and in batches, on its own node.
   * Returns one slot for each event, after checking that all callers got the same slot and that it
   * is the stored one.
   */
  private static List<Slot> assignConcurrently(Scene scene, List<SlotConfig> configs, int events) {
    List<Node> nodes = List.of(scene.node, scene.anotherNode());
    List<Callable<List<Assignment>>> callers = new ArrayList<>();
    for (int caller = 0; caller < THREADS; caller++) {
      Random random = new Random(caller);
      Node node = nodes.get(caller % nodes.size());
      List<Integer> order = IntStream.range(0, events).boxed().collect(Collectors.toList());
      Collections.shuffle(order, random);
      List<AssignRequest> requests =
          order.stream()
              .limit(events / 8)
              .map(i -> scene.request("e" + i, at(0), configs.get(random.nextInt(configs.size()))))
              .toList();
      int size = 1 + random.nextInt(40);
      callers.add(() -> assignInBatches(node, requests, size));
    }
    Map<String, Slot> given = new HashMap<>();
    for (Assignment result : Crowd.concurrently(callers).stream().flatMap(List::stream).toList()) {
      Slot slot = Scene.slot(result);
      assertThat(given.merge(slot.eventId(), slot, (first, second) -> first)).isEqualTo(slot);
    }
    // Then the events that the batches left out.
    for (Slot slot : scene.assign("e", events, at(0))) {
      assertThat(given.merge(slot.eventId(), slot, (first, second) -> first)).isEqualTo(slot);
    }
    assertThat(given).hasSize(events);
    assertThat(configs.stream().flatMap(config -> scene.all(config).stream()))
        .containsExactlyInAnyOrderElementsOf(given.values());
    return List.copyOf(given.values());
  }

  private static List<Assignment> assignInBatches(
      Node node, List<AssignRequest> requests, int size) {
    List<Assignment> results = new ArrayList<>();
    for (int from = 0; from < requests.size(); from += size) {
      results.addAll(
          node.ledger().assign(requests.subList(from, Math.min(from + size, requests.size()))));
    }
    return results;
  }

  /** The same event at the same time, from two nodes and on two configurations. */
  @Test
  default void sameEventAtTheSameMomentOnTwoConfigurationsIsOneSlot() {
    Scene scene = scene(1);
    Node other = scene.anotherNode();
    SlotConfig otherConfig = scene.otherConfig(SlotPolicy.of(1, WINDOW));

    for (int i = 0; i < 30; i++) {
      String event = "e" + i;
      List<Slot> slots =
          Crowd.concurrently(
              List.of(
                  () -> Scene.assign(scene.node.ledger(), scene.request(event, at(0))),
                  () -> Scene.assign(other.ledger(), scene.request(event, at(0), otherConfig))));

      assertThat(slots.getFirst()).isEqualTo(slots.getLast());
    }
    int held =
        Stream.of(scene.config(), otherConfig)
            .flatMap(
                config ->
                    Scene.windows(scene.node.ledger(), config, Scene.FIRST, Scene.LAST).stream())
            .mapToInt(WindowCount::taken)
            .sum();
    assertThat(held).isEqualTo(30);
  }

  /** Assigning, cancelling, confirming, changing and reclaiming concurrently adds up. */
  @Test
  default void concurrentOperationsAddUp() {
    Scene scene = scene(5);
    List<Node> nodes = List.of(scene.node, scene.anotherNode());
    List<Callable<Integer>> callers = new ArrayList<>();
    for (int caller = 0; caller < 16; caller++) {
      int seed = caller;
      callers.add(() -> muddle(scene, nodes.get(seed % 2), new Random(seed)));
    }
    Crowd.concurrently(callers);
    scene.configure(SlotPolicy.of(5, WINDOW));

    Map<Instant, Long> held =
        scene.all().stream()
            .filter(slot -> slot.state().holds())
            .collect(
                Collectors.groupingBy(
                    slot -> at(Math.floor(Scene.seconds(slot.scheduledTime()) / 4) * 4),
                    Collectors.counting()));
    assertThat(scene.windows())
        .containsExactlyInAnyOrderElementsOf(
            held.entrySet().stream()
                .map(entry -> new WindowCount(entry.getKey(), Math.toIntExact(entry.getValue())))
                .toList());
    // No change of the policy raised the limit above this.
    assertThat(held.values()).allMatch(taken -> taken <= 6);
    assertThat(scene.list(SlotQuery.Filter.ALL, 7)).isEqualTo(scene.all());
  }

  private static int muddle(Scene scene, Node node, Random random) {
    for (int i = 0; i < 20; i++) {
      String event = "e" + random.nextInt(80);
      switch (random.nextInt(12)) {
        case 0, 1 -> assertThat(node.ledger().cancel(scene.id(event))).isNotNull();
        case 2 -> assertThat(node.ledger().confirm(scene.id(event))).isNotNull();
        case 3 ->
            assertThat(
                    node.configs()
                        .configure(scene.configName, SlotPolicy.of(5 + random.nextInt(2), WINDOW)))
                .isNotNull();
        case 4 -> assertThat(node.upkeep().reclaim(at(8), 3)).isNotNegative();
        default ->
            node.ledger()
                .assign(
                    List.of(
                        scene.request(event, at(random.nextInt(20))),
                        scene.request("f" + random.nextInt(80), at(0))));
      }
    }
    return 0;
  }
}
