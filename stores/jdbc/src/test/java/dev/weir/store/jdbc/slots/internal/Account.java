package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** A test's own configuration, and events that request slots of it. */
public record Account(SlotConfig config) {
  public static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  public static Account open(Node node, int maxPerWindow) {
    return new Account(
        node.configs()
            .configure(
                "a-" + UUID.randomUUID(), SlotPolicy.of(maxPerWindow, Duration.ofSeconds(4))));
  }

  public String id(String event) {
    return config.name() + "/" + event;
  }

  AssignRequest request(String event, Instant time) {
    return new AssignRequest(new SlotRequest(id(event), config.name(), time), config);
  }

  List<AssignRequest> requests(String prefix, int count, Instant time) {
    return IntStream.range(0, count).mapToObj(i -> request(prefix + i, time)).toList();
  }

  public Slot assign(Node node, String event, Instant time) {
    return slot(node.ledger().assign(List.of(request(event, time))).getFirst());
  }

  static Slot slot(Assignment assignment) {
    return ((Assignment.Assigned) assignment).slot();
  }
}
