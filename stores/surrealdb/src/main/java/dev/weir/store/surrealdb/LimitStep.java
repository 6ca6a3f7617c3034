package dev.weir.store.surrealdb;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Delayed;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One operation on buckets: decide a request, or give back what it took. */
sealed interface LimitStep {
  AcquireRequest request();

  /**
   * Decides a request.
   *
   * @param times how often, for several callers with equal requests; 1 unless it {@link #isPlain}
   */
  record Decide(AcquireRequest request, int times) implements LimitStep {
    Decide(AcquireRequest request) {
      this(request, 1);
    }

    /** Returns true if it is for one limit, so that equal requests may be decided together. */
    boolean isPlain() {
      return request.parts().size() == 1 && !request.isRepeatable() && request.delays().isEmpty();
    }
  }

  /** Gives back what a request took at a time. */
  record GiveBack(AcquireRequest request, long takenAtMicros) implements LimitStep {}

  /** Settles the bucket of a part whose rate has changed. */
  record Settle(AcquireRequest request) implements LimitStep {
    static Settle of(Policy policy, String key) {
      return new Settle(AcquireRequest.of(LimitRequest.of(policy, key)));
    }
  }

  /** Returns the step as {@code limits.surql} expects it. */
  default Map<String, Object> parameters() {
    Map<String, Object> step = new LinkedHashMap<>();
    step.put("parts", parts(request()));
    switch (this) {
      case Decide decide -> step.put("times", (long) decide.times());
      case GiveBack refund -> step.put("taken_at", refund.takenAtMicros());
      case Settle settle -> step.put("times", 0L);
    }
    if (request().isRepeatable()) {
      step.put("id", request().requestId());
      step.put("ttl", Micros.floor(request().requestTtl()));
      step.put("layout", request().layout());
      step.put(
          "digest",
          List.of(request().binding().digest().high(), request().binding().digest().low()));
      step.put(
          "note",
          List.of(
              request().binding().note().getMostSignificantBits(),
              request().binding().note().getLeastSignificantBits()));
      step.put("waited", request().delays().keySet().stream().sorted().map(Long::valueOf).toList());
      step.put("memo", RememberedRequest.memo(request()));
    }
    return step;
  }

  /** Returns the parts of a request that take tokens, as {@code limits.surql} expects them. */
  static List<Map<String, Object>> parts(AcquireRequest request) {
    List<Map<String, Object>> parts = new ArrayList<>(request.parts().size());
    for (int i = 0; i < request.parts().size(); i++) {
      if (!request.isDelayed(i)) {
        parts.add(part(request.parts().get(i), i));
      }
    }
    return parts;
  }

  private static Map<String, Object> part(LimitRequest part, long index) {
    TokenBucket bucket = bucket(part.policy());
    return Map.ofEntries(
        Map.entry("id", BucketId.of(part.policy(), part.key())),
        Map.entry("index", index),
        Map.entry("capacity", bucket.capacity()),
        Map.entry("units", bucket.refillMicros()),
        Map.entry("refill", bucket.refillTokens()),
        Map.entry("ahead", aheadMicros(bucket)),
        Map.entry("cost", part.cost()),
        Map.entry("used_since", BucketId.usedSinceMicros(part.policy())),
        Map.entry("changed_at", part.policy().changedAtMicros()),
        Map.entry("version", (long) part.policy().version()),
        Map.entry("created", part.policy().createdAtMicros()));
  }

  /** Returns by how much a bucket may be ahead of the clock, see {@link Limit}. */
  static long aheadMicros(TokenBucket bucket) {
    long full = bucket.capacity() * bucket.refillMicros();
    return Math.max(Limit.MAX_AHEAD_MICROS, Math.ceilDiv(full, bucket.refillTokens()));
  }

  /**
   * Returns the bucket of a policy.
   *
   * @throws IllegalArgumentException if it is another kind of limit
   */
  static TokenBucket bucket(Policy policy) {
    if (policy.limit() instanceof TokenBucket bucket) {
      return bucket;
    }
    throw new IllegalArgumentException(
        "SurrealDB counts token buckets only, and policy %s is a %s"
            .formatted(policy.name(), policy.limit().getClass().getSimpleName()));
  }

  /** Returns the numbers of a part that waits in a queue. */
  static List<Long> numbers(Delayed wait) {
    return List.of(
        0L, wait.remaining(), wait.resetMicros(), wait.delayMicros(), (long) wait.position());
  }
}
