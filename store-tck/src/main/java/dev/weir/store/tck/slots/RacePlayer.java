package dev.weir.store.tck.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.Transition;
import dev.weir.slots.WindowCount;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.slots.Race.Act;
import dev.weir.store.tck.slots.Race.EventRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs races on a store. After each round there must be an order of its acts in which the model has
 * the same results and ends in the same state.
 */
final class RacePlayer {
  private static final int NODES = 4;

  /** Confirmed events stay confirmed, so new events are used after this number of rounds. */
  private static final int ROUNDS_OF_AN_EVENT = 6;

  private final Scene scene;
  private final List<Node> nodes;
  private final List<SlotConfig> configs;
  private NaiveStore model;
  private int round;

  RacePlayer(Scene scene) {
    this.scene = scene;
    this.nodes =
        Stream.concat(Stream.of(scene.node), Stream.generate(scene::anotherNode).limit(NODES - 1))
            .toList();
    this.configs =
        List.of(
            scene.config(),
            scene.otherConfig(SlotPolicy.of(1, Claims.WINDOW)),
            scene.otherConfig(SlotPolicy.of(2, Claims.WINDOW)));
    this.model = new NaiveStore(scene.clock);
    configs.forEach(model::configure);
  }

  /** An act with its result; a reclaim is one step for each configuration. */
  private sealed interface Step {
    record Assigned(List<AssignRequest> requests, List<Assignment> results) implements Step {}

    record Cancelled(String eventId, Transition result) implements Step {}

    record Confirmed(String eventId, Transition result) implements Step {}

    record Reclaimed(String configName, Instant before) implements Step {}
  }

  private record State(List<List<Slot>> slots, List<Map<Instant, Integer>> windows) {}

  void play(Race race) {
    for (List<Act> acts : race.rounds()) {
      scene.clock.move(Duration.ofSeconds(1));
      play(acts);
      round++;
    }
  }

  private void play(List<Act> acts) {
    List<Callable<List<Step>>> callers =
        IntStream.range(0, acts.size())
            .<Callable<List<Step>>>mapToObj(i -> () -> act(nodes.get(i), acts.get(i)))
            .toList();
    List<Step> steps = Crowd.concurrently(callers).stream().flatMap(List::stream).toList();
    State state = state();
    NaiveStore before = model;
    model =
        inSomeOrder(before, steps, state)
            .orElseThrow(
                () ->
                    new AssertionError(
                        "round %d: no order of %s leads to %s".formatted(round, steps, state)));
  }

  private List<Step> act(Node node, Act act) {
    return switch (act) {
      case Act.Assign assign -> {
        List<AssignRequest> requests = assign.requests().stream().map(this::request).toList();
        yield List.of(new Step.Assigned(requests, node.ledger().assign(requests)));
      }
      case Act.Cancel cancel -> {
        String id = id(cancel.event());
        yield List.of(new Step.Cancelled(id, node.ledger().cancel(id)));
      }
      case Act.Confirm confirm -> {
        String id = id(confirm.event());
        yield List.of(new Step.Confirmed(id, node.ledger().confirm(id)));
      }
      case Act.Reclaim reclaim -> {
        Instant before = scene.clock.instant();
        assertThat(node.upkeep().reclaim(before, 1_000)).isNotNegative();
        yield configs.stream()
            .<Step>map(config -> new Step.Reclaimed(config.name(), before))
            .toList();
      }
    };
  }

  private AssignRequest request(EventRequest request) {
    return scene.request(
        name(request.event()), Scene.at(request.requestedSeconds()), configs.get(request.config()));
  }

  private String id(int event) {
    return scene.id(name(event));
  }

  private String name(int event) {
    return round / ROUNDS_OF_AN_EVENT + "-" + event;
  }

  /** Returns the model after an order of the steps that explains all results and the state. */
  private Optional<NaiveStore> inSomeOrder(NaiveStore store, List<Step> left, State state) {
    if (left.isEmpty()) {
      return state(store).equals(state) ? Optional.of(store) : Optional.empty();
    }
    for (Step next : left) {
      NaiveStore after = store.copy();
      if (explains(after, next)) {
        List<Step> others = new ArrayList<>(left);
        others.remove(next);
        Optional<NaiveStore> found = inSomeOrder(after, others, state);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static boolean explains(NaiveStore store, Step step) {
    return switch (step) {
      case Step.Assigned assigned ->
          IntStream.range(0, assigned.requests().size())
              .allMatch(
                  i -> {
                    Assignment result = assigned.results().get(i);
                    return store
                        .assign(assigned.requests().get(i).request(), result)
                        .equals(result);
                  });
      case Step.Cancelled cancelled -> store.cancel(cancelled.eventId()).equals(cancelled.result());
      case Step.Confirmed confirmed ->
          store.confirm(confirmed.eventId()).equals(confirmed.result());
      case Step.Reclaimed reclaimed -> {
        store.reclaim(reclaimed.configName(), reclaimed.before());
        yield true;
      }
    };
  }

  private State state() {
    List<List<Slot>> slots = new ArrayList<>();
    List<Map<Instant, Integer>> windows = new ArrayList<>();
    for (SlotConfig config : configs) {
      Node node = nodes.get(round % NODES);
      SlotQuery all = SlotQuery.of(config.name()).from(Scene.FIRST).until(Scene.LAST).limit(1_000);
      slots.add(Scene.list(node.ledger(), all));
      Map<Instant, Integer> taken = new TreeMap<>();
      for (WindowCount window : Scene.windows(node.ledger(), config, Scene.FIRST, Scene.LAST)) {
        taken.put(window.start(), window.taken());
      }
      windows.add(taken);
    }
    return new State(slots, windows);
  }

  private State state(NaiveStore store) {
    List<List<Slot>> slots = new ArrayList<>();
    List<Map<Instant, Integer>> windows = new ArrayList<>();
    for (SlotConfig config : configs) {
      List<Slot> all = store.list(config.name(), Scene.FIRST, Scene.LAST, SlotQuery.Filter.ALL);
      Map<Instant, Integer> taken = new TreeMap<>();
      all.stream()
          .filter(slot -> slot.state().holds())
          .forEach(slot -> taken.merge(slot.windowStart(), 1, Integer::sum));
      slots.add(all);
      windows.add(taken);
    }
    return new State(slots, windows);
  }
}
