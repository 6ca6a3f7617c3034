package dev.weir.store.tck.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.NotBefore;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.WindowCount;
import dev.weir.store.tck.slots.Trace.EventRequest;
import dev.weir.store.tck.slots.Trace.Step;
import dev.weir.store.tck.slots.Trace.TimedEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs a trace on a store and on the model, and compares every result. */
final class TracePlayer {
  private final Scene scene;
  private final List<Node> nodes;
  private final List<List<SlotConfig>> versions = new ArrayList<>();
  private final NaiveStore model;

  /** If the clock steps back, the past recurs: then {@link NotBefore#NOW} is not used. */
  private boolean wentBack;

  TracePlayer(Scene scene, Trace trace) {
    this.scene = scene;
    this.nodes = List.of(scene.node, scene.anotherNode());
    this.model = new NaiveStore(scene.clock);
    addConfig(scene.config());
    addConfig(scene.otherConfig(trace.policies().getLast()));
  }

  private void addConfig(SlotConfig config) {
    versions.add(new ArrayList<>(List.of(config)));
    model.configure(config);
  }

  void play(Trace trace) {
    trace.steps().forEach(this::play);
    for (int config = 0; config < versions.size(); config++) {
      for (SlotQuery.Filter filter : SlotQuery.Filter.values()) {
        compareLists(new Step.ListSlots(config, config, -200_000_000, 900_000_000, filter, 9));
      }
      compareWindows(new Step.CountWindows(config, config, -200_000_000, 900_000_000));
      compareForecasts(new Step.Predict(config, config, -30_000_000, 25));
    }
  }

  private void play(Step step) {
    switch (step) {
      case Step.Assign assign -> assign(assign);
      case Step.Adopt adopt -> adopt(adopt);
      case Step.Cancel cancel ->
          assertThat(nodes.get(cancel.node()).ledger().cancel(id(cancel.event())))
              .isEqualTo(model.cancel(id(cancel.event())));
      case Step.Confirm confirm ->
          assertThat(nodes.get(confirm.node()).ledger().confirm(id(confirm.event())))
              .isEqualTo(model.confirm(id(confirm.event())));
      case Step.Configure configure -> configure(configure);
      case Step.MoveClock move -> moveClock(move.by());
      case Step.Reclaim reclaim -> reclaim(reclaim);
      case Step.RemovePast remove -> {
        Instant before = model.betweenWindows(scene.clock.instant().minus(remove.before()));
        assertThat(nodes.get(remove.node()).upkeep().removePast(before, 10_000))
            .isEqualTo(model.removePast(before));
      }
      case Step.ListSlots list -> compareLists(list);
      case Step.CountWindows count -> compareWindows(count);
      case Step.Predict predict -> compareForecasts(predict);
    }
  }

  private void assign(Step.Assign assign) {
    List<AssignRequest> requests = assign.requests().stream().map(this::request).toList();
    List<Assignment> results = nodes.get(assign.node()).ledger().assign(requests);
    assertThat(results).hasSameSizeAs(requests);
    for (int i = 0; i < requests.size(); i++) {
      SlotRequest request = requests.get(i).request();
      assertThat(results.get(i)).isEqualTo(model.assign(request, results.get(i)));
    }
    for (AssignRequest request : requests) {
      String eventId = request.request().eventId();
      assertThat(nodes.get(1 - assign.node()).ledger().find(eventId))
          .isEqualTo(model.find(eventId));
    }
  }

  /** Leaves out events of windows with places that may stay taken or not. */
  private void adopt(Step.Adopt adopt) {
    String name = name(adopt.config());
    List<AdoptRequest> requests =
        adopt.events().stream()
            .filter(event -> model.config(name).hasNoGhostAt(micros(event)))
            .map(this::request)
            .toList();
    assertThat(nodes.get(adopt.node()).ledger().adopt(name, requests, adopt.overfull()))
        .isEqualTo(model.adopt(name, requests, adopt.overfull()));
    for (AdoptRequest request : requests) {
      assertThat(nodes.get(1 - adopt.node()).ledger().find(request.eventId()))
          .isEqualTo(model.find(request.eventId()));
    }
  }

  private AdoptRequest request(TimedEvent event) {
    return new AdoptRequest(
        id(event.event()), at(event.scheduledMicros()), Optional.empty(), event.state());
  }

  private static long micros(TimedEvent event) {
    return Micros.ceil(at(event.scheduledMicros()));
  }

  private AssignRequest request(EventRequest request) {
    List<SlotConfig> known = versions.get(request.config());
    SlotConfig config = request.stale() ? known.getFirst() : known.getLast();
    Optional<Instant> time =
        request.requestedMicros() == EventRequest.NOW
            ? Optional.empty()
            : Optional.of(at(request.requestedMicros()));
    return new AssignRequest(new SlotRequest(id(request.event()), config.name(), time), config);
  }

  private void configure(Step.Configure configure) {
    String name = name(configure.config());
    boolean pastIsOver = !wentBack && configure.policy().notBefore() == NotBefore.NOW;
    boolean pastWasOver = !model.config(name).ghosts.isEmpty();
    SlotPolicy policy =
        configure
            .policy()
            .withNotBefore(pastIsOver || pastWasOver ? NotBefore.NOW : NotBefore.REQUESTED);
    SlotConfig config = nodes.get(configure.node()).configs().configure(name, policy);
    versions.get(configure.config()).add(config);
    assertThat(config)
        .isEqualTo(
            new SlotConfig(
                name, versions.get(configure.config()).size(), policy, scene.clock.instant()));
    model.configure(config);
  }

  private void moveClock(Duration by) {
    boolean pastIsOver =
        versions.stream().anyMatch(known -> known.getLast().policy().notBefore() == NotBefore.NOW);
    boolean ghosts =
        versions.stream()
            .anyMatch(known -> !model.config(known.getFirst().name()).ghosts.isEmpty());
    if (!by.isNegative()) {
      scene.clock.move(by);
    } else if (!pastIsOver && !ghosts) {
      wentBack = true;
      scene.clock.move(by);
    }
  }

  private void reclaim(Step.Reclaim reclaim) {
    Instant before = scene.clock.instant().minus(reclaim.before());
    Node node = nodes.get(reclaim.node());
    assertThat(node.upkeep().countLeaked(before, 10_000)).isEqualTo(model.countLeaked(before));
    assertThat(node.upkeep().reclaim(before, 10_000)).isEqualTo(model.reclaim(before));
  }

  private void compareLists(Step.ListSlots list) {
    String name = name(list.config());
    Instant from = at(list.fromMicros());
    Instant until = at(list.untilMicros());
    assertThat(
            Scene.list(
                nodes.get(list.node()).ledger(),
                SlotQuery.of(name)
                    .from(from)
                    .until(until)
                    .filter(list.filter())
                    .limit(list.pageSize())))
        .isEqualTo(model.list(name, from, until, list.filter()));
  }

  /** Places that stay taken may be counted or not once their time has passed. */
  private void compareWindows(Step.CountWindows count) {
    NaiveConfig config = model.config(name(count.config()));
    long size = config.policy().windowMicros();
    Map<Instant, Integer> min = new HashMap<>();
    Map<Instant, Integer> ghosts = new HashMap<>();
    config.slots.stream()
        .filter(held -> held.slot().state().holds())
        .forEach(held -> min.merge(windowStart(held, size), 1, Integer::sum));
    config.ghosts.forEach(held -> ghosts.merge(windowStart(held, size), 1, Integer::sum));
    min.keySet()
        .removeIf(
            start ->
                start.isBefore(at(count.fromMicros())) || !start.isBefore(at(count.untilMicros())));
    for (WindowCount window :
        Scene.windows(
            nodes.get(count.node()).ledger(),
            versions.get(count.config()).getFirst(),
            at(count.fromMicros()),
            at(count.untilMicros()))) {
      int least = min.getOrDefault(window.start(), 0);
      assertThat(window.taken())
          .isPositive()
          .isBetween(least, least + ghosts.getOrDefault(window.start(), 0));
      min.remove(window.start());
    }
    assertThat(min).isEmpty();
  }

  private static Instant windowStart(NaiveConfig.Held held, long size) {
    return Micros.instant(Math.floorDiv(held.micros(), size) * size);
  }

  private void compareForecasts(Step.Predict predict) {
    String name = name(predict.config());
    Instant from = at(predict.fromMicros());
    assertThat(
            nodes
                .get(predict.node())
                .ledger()
                .forecast(versions.get(predict.config()).getFirst(), from, predict.events()))
        .isEqualTo(model.forecast(name, from, predict.events()));
  }

  private String name(int config) {
    return versions.get(config).getFirst().name();
  }

  private String id(int event) {
    return scene.id("e" + event);
  }

  private static Instant at(long micros) {
    return Scene.NOON.plus(Micros.duration(micros));
  }
}
