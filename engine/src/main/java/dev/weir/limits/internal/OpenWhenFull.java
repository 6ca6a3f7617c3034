package dev.weir.limits.internal;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.internal.SteadyClock;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * An in-memory store that allows what it has no capacity to count, if all policies of a request are
 * {@link OnStoreFailure#OPEN}. All other requests get the {@link StoreException} of the full store.
 * Thread-safe.
 */
public final class OpenWhenFull implements LimitStore {
  private final LimitStore store;
  private final LongSupplier nowMicros;

  public OpenWhenFull(LimitStore store) {
    this(store, SteadyClock.sinceStart());
  }

  /** Creates a store that uses the given clock, in microseconds since the epoch. */
  public OpenWhenFull(LimitStore store, LongSupplier nowMicros) {
    this.store = store;
    this.nowMicros = nowMicros;
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    try {
      return store.decide(request);
    } catch (StoreException e) {
      if (!e.isFull() || !isOpen(request)) {
        throw e;
      }
      List<Outcome> decisions = new ArrayList<>(request.parts().size());
      for (LimitRequest part : request.parts()) {
        decisions.add(allow(part.policy(), part.cost()));
      }
      return new AcquireResult(
          decisions, Micros.instant(nowMicros.getAsLong()), AcquireResult.Mode.OPEN);
    }
  }

  private static boolean isOpen(AcquireRequest request) {
    return request.parts().stream()
        .allMatch(part -> part.policy().onStoreFailure() == OnStoreFailure.OPEN);
  }

  private static Decision allow(Policy policy, long cost) {
    return new Decision.Allowed(policy.limit().maxCost() - cost, 0);
  }

  @Override
  public boolean take(Policy policy, String key, long cost) {
    try {
      return store.take(policy, key, cost);
    } catch (StoreException e) {
      return requireOpen(e, policy);
    }
  }

  @Override
  public Decision decide(Policy policy, String key, long cost) {
    try {
      return store.decide(policy, key, cost);
    } catch (StoreException e) {
      requireOpen(e, policy);
      return allow(policy, cost);
    }
  }

  private static boolean requireOpen(StoreException failure, Policy policy) {
    if (!failure.isFull() || policy.onStoreFailure() != OnStoreFailure.OPEN) {
      throw failure;
    }
    return true;
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    return store.peek(request);
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return store.recall(request);
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    return store.refund(request, grantedAt);
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return store.usage(policy, key);
  }

  @Override
  public void forget(Policy policy, String key) {
    store.forget(policy, key);
  }

  @Override
  public void settle(Policy policy) {
    store.settle(policy);
  }

  @Override
  public void settle(Policy policy, String key) {
    store.settle(policy, key);
  }

  @Override
  public Set<Class<? extends Limit>> kinds() {
    return store.kinds();
  }

  @Override
  public boolean hasOtherModes() {
    return true;
  }

  @Override
  public void close() {
    store.close();
  }
}
