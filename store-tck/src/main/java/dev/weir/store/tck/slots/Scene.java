package dev.weir.store.tck.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.Transition;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.store.tck.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One configuration on a store, and short methods for what tests do with it. Event ids are unique
 * to the scene, because one store serves all scenes.
 */
public final class Scene {
  /** A round time: the start of a window for every window size in these tests. */
  public static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  static final Instant FIRST = Instant.MIN;
  static final Instant LAST = Instant.MAX;

  final SettableClock clock;
  final Node node;
  final String configName = "c-" + UUID.randomUUID();
  private final Supplier<Node> nodes;
  private SlotConfig config;

  private Scene(SettableClock clock, Supplier<Node> nodes, SlotPolicy policy) {
    this.clock = clock;
    this.nodes = nodes;
    this.node = nodes.get();
    this.config = node.configs().configure(configName, policy);
  }

  static Scene of(Function<InstantSource, Supplier<Node>> storeBy, SlotPolicy policy) {
    SettableClock clock = new SettableClock(NOON);
    return new Scene(clock, storeBy.apply(clock), policy);
  }

  /** Opens a further node on the same store. */
  Node anotherNode() {
    return nodes.get();
  }

  SlotConfig config() {
    return config;
  }

  SlotConfig configure(SlotPolicy policy) {
    config = node.configs().configure(configName, policy);
    return config;
  }

  /** Creates a second configuration on the same store. */
  SlotConfig otherConfig(SlotPolicy policy) {
    return node.configs().configure("c-" + UUID.randomUUID(), policy);
  }

  String id(String name) {
    return configName + "/" + name;
  }

  AssignRequest request(String name, Instant requested) {
    return request(name, requested, config);
  }

  AssignRequest request(String name, Instant requested, SlotConfig config) {
    return new AssignRequest(new SlotRequest(id(name), config.name(), requested), config);
  }

  /** Returns a request for a slot from now on. */
  AssignRequest requestNow(String name) {
    return new AssignRequest(SlotRequest.now(id(name), configName), config);
  }

  /** Assigns one slot from now on; fails if it is refused. */
  Slot assignNow(String name) {
    return assign(node.ledger(), requestNow(name));
  }

  Assignment tryAssignNow(String name) {
    return node.ledger().assign(List.of(requestNow(name))).getFirst();
  }

  /** Assigns one slot; fails if it is refused. */
  Slot assign(String name, Instant requested) {
    return assign(node.ledger(), request(name, requested));
  }

  static Slot assign(SlotLedger ledger, AssignRequest request) {
    return slot(ledger.assign(List.of(request)).getFirst());
  }

  Assignment tryAssign(String name, Instant requested) {
    return node.ledger().assign(List.of(request(name, requested))).getFirst();
  }

  /** Assigns many slots for the same time, in one batch. */
  List<Slot> assign(String prefix, int count, Instant requested) {
    List<AssignRequest> requests =
        IntStream.range(0, count).mapToObj(i -> request(prefix + i, requested)).toList();
    return node.ledger().assign(requests).stream().map(Scene::slot).toList();
  }

  /** Assigns slots to all requests in one call. */
  List<Assignment> assignAll(AssignRequest... requests) {
    return node.ledger().assign(List.of(requests));
  }

  static Slot slot(Assignment assignment) {
    assertThat(assignment).isInstanceOf(Assignment.Assigned.class);
    return ((Assignment.Assigned) assignment).slot();
  }

  Transition cancel(String name) {
    return node.ledger().cancel(id(name));
  }

  Transition confirm(String name) {
    return node.ledger().confirm(id(name));
  }

  List<Slot> all() {
    return list(SlotQuery.Filter.ALL, 10_000);
  }

  /** Returns all slots of a configuration. */
  List<Slot> all(SlotConfig config) {
    return list(node.ledger(), SlotQuery.of(config.name()).from(FIRST).until(LAST).limit(10_000));
  }

  /** Returns all slots that match a filter, read page by page. */
  List<Slot> list(SlotQuery.Filter filter, int pageSize) {
    return list(FIRST, LAST, filter, pageSize);
  }

  List<Slot> list(Instant from, Instant until, SlotQuery.Filter filter, int pageSize) {
    return list(
        node.ledger(),
        SlotQuery.of(configName).from(from).until(until).filter(filter).limit(pageSize));
  }

  /** Reads all pages. */
  static List<Slot> list(SlotLedger ledger, SlotQuery query) {
    List<Slot> slots = new ArrayList<>();
    SlotQuery next = query;
    while (true) {
      List<Slot> page = ledger.list(next);
      slots.addAll(page);
      if (page.size() < query.limit()) {
        return slots;
      }
      next = next.after(page.getLast());
    }
  }

  List<WindowCount> windows() {
    return windows(FIRST, LAST);
  }

  List<WindowCount> windows(Instant from, Instant until) {
    return windows(node.ledger(), config, from, until);
  }

  static List<WindowCount> windows(
      SlotLedger ledger, SlotConfig config, Instant from, Instant until) {
    return ledger.windows(
        WindowQuery.of(config).from(from).until(until).limit(WindowQuery.MAX_PAGE));
  }

  ForecastResult forecast(Instant from, long events) {
    return node.ledger().forecast(config, from, events);
  }

  /** Returns a time, in seconds after noon. */
  static Instant at(double seconds) {
    return NOON.plus(Duration.ofNanos(Math.round(seconds * 1_000_000) * 1_000));
  }

  static WindowCount count(double startSeconds, int taken) {
    return new WindowCount(at(startSeconds), taken);
  }

  /** Returns the times of slots in seconds after noon. */
  static List<Double> seconds(List<Slot> slots) {
    return slots.stream().map(slot -> seconds(slot.scheduledTime())).toList();
  }

  static double seconds(Instant time) {
    return Duration.between(NOON, time).toNanos() / 1e9;
  }
}
