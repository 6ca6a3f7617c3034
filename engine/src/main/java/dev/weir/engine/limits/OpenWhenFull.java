package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Usage;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.memory.BusyClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A store in memory that lets pass what it has no room to count, where all policies of a demand are
 * {@link OnStoreFailure#OPEN}. Everything else is told that the store is full, by its {@link
 * StoreException}. Thread-safe.
 */
public final class OpenWhenFull implements LimitStore {
  private final LimitStore store;
  private final LongSupplier nowMicros;

  public OpenWhenFull(LimitStore store) {
    this(store, BusyClock.sinceStart());
  }

  /** One that goes by the given clock, in microseconds since the epoch. */
  public OpenWhenFull(LimitStore store, LongSupplier nowMicros) {
    this.store = store;
    this.nowMicros = nowMicros;
  }

  @Override
  public AcquireResult decide(AcquireRequest demand) {
    try {
      return store.decide(demand);
    } catch (StoreException e) {
      if (!e.isFull() || !isOpen(demand)) {
        throw e;
      }
      List<Outcome> decisions = new ArrayList<>(demand.asks().size());
      for (LimitRequest ask : demand.asks()) {
        decisions.add(letPass(ask.policy(), ask.cost()));
      }
      return new AcquireResult(
          decisions, Micros.instant(nowMicros.getAsLong()), AcquireResult.Mode.OPEN);
    }
  }

  private static boolean isOpen(AcquireRequest demand) {
    return demand.asks().stream()
        .allMatch(ask -> ask.policy().onStoreFailure() == OnStoreFailure.OPEN);
  }

  private static Decision letPass(Policy policy, long cost) {
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
      return letPass(policy, cost);
    }
  }

  private static boolean requireOpen(StoreException failure, Policy policy) {
    if (!failure.isFull() || policy.onStoreFailure() != OnStoreFailure.OPEN) {
      throw failure;
    }
    return true;
  }

  @Override
  public AcquireResult peek(AcquireRequest demand) {
    return store.peek(demand);
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest demand) {
    return store.recall(demand);
  }

  @Override
  public Refund refund(AcquireRequest demand, Instant grantedAt) {
    return store.refund(demand, grantedAt);
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
  public boolean mayStandIn() {
    return true;
  }

  @Override
  public void close() {
    store.close();
  }
}
