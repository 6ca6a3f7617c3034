package dev.weir.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * The share of each limit that this node enforces in its memory while the store is unavailable.
 * Thread-safe.
 */
final class LocalShare {
  private final LimitStore memory;
  private final int nodes;

  /**
   * Creates a share.
   *
   * @param nodes the number of nodes that share each limit equally
   * @param maxKeys the maximum number of keys
   */
  LocalShare(LongSupplier nowMicros, int nodes, long maxKeys) {
    this.memory = new MemoryLimitStore(() -> Micros.instant(nowMicros.getAsLong()), maxKeys);
    this.nodes = nodes;
  }

  /** Returns the result of an operation; empty if the request exceeds what the share can grant. */
  Optional<AcquireResult> run(
      AcquireRequest request, BiFunction<LimitStore, AcquireRequest, AcquireResult> operation) {
    return share(request).map(share -> operation.apply(memory, share).in(AcquireResult.Mode.LOCAL));
  }

  Optional<AcquireResult> recall(AcquireRequest request) {
    return share(request).flatMap(memory::recall).map(known -> known.in(AcquireResult.Mode.LOCAL));
  }

  Refund refund(AcquireRequest request, Instant grantedAt) {
    return share(request).map(share -> memory.refund(share, grantedAt)).orElse(Refund.UNKNOWN);
  }

  void forget(Policy policy, String key) {
    memory.forget(policy, key);
  }

  void settle(Policy policy) {
    memory.settle(share(policy));
  }

  void settle(Policy policy, String key) {
    memory.settle(share(policy), key);
  }

  private Policy share(Policy policy) {
    return policy.limit(policy.limit().share(nodes));
  }

  void close() {
    memory.close();
  }

  /**
   * Returns the request for this node's share; empty if it exceeds the max that the share can
   * grant.
   */
  private Optional<AcquireRequest> share(AcquireRequest request) {
    List<LimitRequest> parts = new ArrayList<>(request.parts().size());
    for (LimitRequest part : request.parts()) {
      Limit share = part.policy().limit().share(nodes);
      if (part.cost() > share.maxCost()) {
        return Optional.empty();
      }
      parts.add(new LimitRequest(part.policy().limit(share), part.key(), part.cost()));
    }
    return Optional.of(new AcquireRequest(parts, request.delays(), request.binding()));
  }
}
