package dev.weir.store.tck.limits;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Policies on a limit store, and short methods for what tests do with them. */
final class LimitScene extends TwoNodeScene<LimitStore> {
  /** How long the requests of {@link #repeatable(Policy, String, long)} are remembered. */
  static final Duration TTL = Duration.ofSeconds(7);

  LimitScene(Function<InstantSource, Supplier<LimitStore>> storeBy) {
    super(storeBy);
  }

  Policy policy(String name, Limit limit) {
    return Policy.of(named(name), limit);
  }

  String requestId(String name) {
    return named(name);
  }

  AcquireResult decide(Policy policy, String key, long cost) {
    return node.decide(request(policy, key, cost));
  }

  AcquireRequest request(Policy policy, String key, long cost) {
    return AcquireRequest.of(new LimitRequest(policy, key, cost));
  }

  AcquireRequest repeatable(String requestId, Duration ttl, List<LimitRequest> limitRequests) {
    return new AcquireRequest(List.copyOf(limitRequests), requestId(requestId), ttl);
  }

  /** Returns a request with the id {@code id} that is remembered for {@link #TTL}. */
  AcquireRequest repeatable(Policy policy, String key, long cost) {
    return repeatable("id", TTL, List.of(new LimitRequest(policy, key, cost)));
  }

  Decision peek(Policy policy, String key, long cost) {
    return node.peek(request(policy, key, cost)).decision();
  }

  long remaining(Policy policy, String key) {
    return peek(policy, key, 1).remaining();
  }

  Usage usage(Policy policy, String key) {
    return node.usage(policy, key);
  }
}
