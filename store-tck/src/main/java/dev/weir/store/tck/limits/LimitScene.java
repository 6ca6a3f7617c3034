package dev.weir.store.tck.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.slots.Scene;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Policies on a store, and short methods for what tests do with them. Names of policies and request
 * ids are unique to the scene, because one store serves all scenes.
 */
final class LimitScene {
  final SettableClock clock;
  final LimitStore node;
  final LimitStore otherNode;
  private final String prefix = UUID.randomUUID() + "/";

  private LimitScene(SettableClock clock, Supplier<LimitStore> nodes) {
    this.clock = clock;
    this.node = nodes.get();
    this.otherNode = nodes.get();
  }

  static LimitScene of(Function<InstantSource, Supplier<LimitStore>> storeBy) {
    SettableClock clock = new SettableClock(Scene.NOON);
    return new LimitScene(clock, storeBy.apply(clock));
  }

  /** Returns one of the two nodes, by the number of a caller. */
  LimitStore node(int caller) {
    return caller % 2 == 0 ? node : otherNode;
  }

  Policy policy(String name, Limit limit) {
    return Policy.of(prefix + name, limit);
  }

  String requestId(String name) {
    return prefix + name;
  }

  long nowMicros() {
    return Micros.ceil(clock.instant());
  }

  void moveMicros(long micros) {
    clock.move(Micros.duration(micros));
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
