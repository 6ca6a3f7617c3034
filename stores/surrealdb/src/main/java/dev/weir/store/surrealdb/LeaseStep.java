package dev.weir.store.surrealdb;

import dev.weir.internal.LimitNames;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.Queue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One operation on the leases of a resource.
 *
 * @param id the lease; empty if none is meant
 * @param parameters the operation as {@code leases.surql} expects it
 */
record LeaseStep(String id, Map<String, Object> parameters) {
  private static final int HELD = 1;

  /** Names that SurrealDB rejects would fail all steps that share a call. */
  LeaseStep {
    LimitNames.require("resource", String.valueOf(parameters.get("resource")));
    if (parameters.containsKey("id")) {
      LimitNames.require("id", id);
    }
  }

  static LeaseStep acquire(
      String resource, Concurrency limit, String id, int places, LeaseHistory history) {
    return new LeaseStep(
        id,
        Map.of(
            "kind",
            "acquire",
            "resource",
            resource,
            "id",
            id,
            "places",
            (long) places,
            "max",
            (long) limit.max(),
            "micros",
            limit.ttlMicros(),
            "span",
            limit.ttlMicros(),
            "used_since",
            history.createdAtMicros(),
            "held_until",
            history.heldUntilMicros()));
  }

  static LeaseStep join(String resource, Queue queue, String id, LeaseHistory history) {
    return new LeaseStep(
        id,
        Map.of(
            "kind",
            "join",
            "resource",
            resource,
            "id",
            id,
            "places",
            1L,
            "max",
            (long) queue.maxSize(),
            "micros",
            queue.delayMicros(),
            "span",
            queue.maxSize() * queue.delayMicros(),
            "used_since",
            history.createdAtMicros(),
            "held_until",
            history.heldUntilMicros()));
  }

  static LeaseStep renew(String resource, Concurrency limit, String id) {
    return new LeaseStep(
        id, Map.of("kind", "renew", "resource", resource, "id", id, "micros", limit.ttlMicros()));
  }

  static LeaseStep releaseAfter(String resource, String id, long delayMicros) {
    return new LeaseStep(
        id, Map.of("kind", "shorten", "resource", resource, "id", id, "micros", delayMicros));
  }

  static LeaseStep release(String resource, String id) {
    return new LeaseStep(id, Map.of("kind", "release", "resource", resource, "id", id));
  }

  static LeaseStep forget(String resource) {
    return new LeaseStep("", Map.of("kind", "forget", "resource", resource));
  }

  /** Counts the places of leases that are there, without regard to lost ones. */
  static LeaseStep current(String resource) {
    return new LeaseStep("", Map.of("kind", "current", "resource", resource));
  }

  /**
   * Counts the places that are held or may be.
   *
   * @param spanMicros the time after which all lost leases have ended
   */
  static LeaseStep current(String resource, int max, long spanMicros, LeaseHistory history) {
    return new LeaseStep(
        "",
        Map.of(
            "kind",
            "current",
            "resource",
            resource,
            "max",
            (long) max,
            "span",
            spanMicros,
            "used_since",
            history.createdAtMicros(),
            "held_until",
            history.heldUntilMicros()));
  }

  /** Returns the query that runs all steps as one transaction. */
  static Query query(List<LeaseStep> steps, SurrealDbSettings settings, StoreClock clock) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("steps", steps.stream().map(LeaseStep::parameters).toList());
    clock.addTo(call);
    return Query.call(Query.Script.LEASES, settings, call);
  }

  /** Returns the reply to this step from the numbers that the query returns. */
  LeaseReply reply(long[] numbers) {
    return new LeaseReply(
        id,
        numbers[0] == HELD,
        Math.toIntExact(numbers[1]),
        Math.toIntExact(numbers[2]),
        numbers[3]);
  }
}
