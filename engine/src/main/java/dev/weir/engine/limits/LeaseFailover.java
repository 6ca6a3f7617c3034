package dev.weir.engine.limits;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.memory.BusyClock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * A lease store that still responds while the underlying store is unavailable: with {@link
 * LeaseDecision.Unavailable}, or {@link LeaseDecision.Unchecked} for callers that are admitted.
 *
 * <p>A lease limit cannot be divided among nodes and has no second store, because only the store
 * records who holds leases. When {@linkplain OnFailure#CLOSED closed}, nothing beyond the limit is
 * admitted. When {@linkplain OnFailure#OPEN open}, everything is admitted while the store is
 * unavailable, and is not counted after it recovers. Thread-safe.
 */
public final class LeaseFailover implements LeaseStore {
  /** The behaviour while the store is unavailable. */
  public enum OnFailure {
    /** Leases are refused, and nothing is known about held ones. */
    CLOSED,
    /** Every caller is admitted. */
    OPEN
  }

  private final String name;
  private final LeaseStore store;
  private final OnFailure onFailure;
  private final LimitObserver observer;
  private final LongSupplier nowMicros;
  private final CircuitBreaker breaker;

  public LeaseFailover(
      String name,
      LeaseStore store,
      OnFailure onFailure,
      CircuitBreaker.Settings settings,
      LimitObserver observer) {
    this(name, store, onFailure, settings, observer, BusyClock.sinceStart());
  }

  /** Creates a lease store that uses the given clock, in microseconds since the epoch. */
  public LeaseFailover(
      String name,
      LeaseStore store,
      OnFailure onFailure,
      CircuitBreaker.Settings settings,
      LimitObserver observer,
      LongSupplier nowMicros) {
    this.name = name;
    this.store = store;
    this.onFailure = onFailure;
    this.observer = observer;
    this.nowMicros = nowMicros;
    this.breaker =
        new CircuitBreaker(
            settings,
            nowMicros,
            () -> ThreadLocalRandom.current().nextLong(),
            state -> observer.breakerChanged(name, state));
  }

  @Override
  public LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places) {
    return acquire(resource, limit, leaseId, places, Instant.MIN);
  }

  @Override
  public LeaseDecision acquire(
      String resource, Concurrency limit, String leaseId, int places, Instant createdAt) {
    return attempt(
        leases -> leases.acquire(resource, limit, leaseId, places, trusted(createdAt)),
        unavailable -> orUnchecked(unavailable, leaseId, places, limit.ttlMicros()));
  }

  @Override
  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return attempt(
        leases -> leases.renew(resource, limit, leaseId),
        unavailable -> orUnchecked(unavailable, leaseId, 1, limit.ttlMicros()));
  }

  /** Ends a lease. If the store is unavailable, the lease lasts until it expires. */
  @Override
  public LeaseDecision release(String resource, String leaseId) {
    return attempt(leases -> leases.release(resource, leaseId), unavailable -> unavailable);
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId) {
    return join(resource, queue, ticketId, Instant.MIN);
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId, Instant createdAt) {
    return attempt(
        leases -> leases.join(resource, queue, ticketId, trusted(createdAt)),
        unavailable -> orUnchecked(unavailable, ticketId, 1, queue.delayMicros()));
  }

  /**
   * Returns the number of places held.
   *
   * @throws StoreException if the store is unavailable
   */
  @Override
  public int current(String resource) {
    return required(leases -> leases.current(resource));
  }

  @Override
  public int current(String resource, Concurrency limit, Instant createdAt) {
    return required(leases -> leases.current(resource, limit, trusted(createdAt)));
  }

  @Override
  public int current(String resource, Queue queue, Instant createdAt) {
    return required(leases -> leases.current(resource, queue, trusted(createdAt)));
  }

  /**
   * Ends all leases.
   *
   * @throws StoreException if the store is unavailable
   */
  @Override
  public void forget(String resource) {
    required(
        leases -> {
          leases.forget(resource);
          return resource;
        });
  }

  private LeaseDecision attempt(
      Function<LeaseStore, LeaseDecision> operation, UnaryOperator<LeaseDecision> fallback) {
    boolean mayBeDone = false;
    if (breaker.mayTry()) {
      try {
        return call(operation);
      } catch (StoreException e) {
        mayBeDone = e.outcome() == StoreException.Outcome.UNKNOWN;
      }
    }
    return fallback.apply(new LeaseDecision.Unavailable(breaker.retryAfterMicros(), mayBeDone));
  }

  /** Returns the result of the store. Throws if it is not called or does not respond. */
  private <T> T required(Function<LeaseStore, T> operation) {
    if (!breaker.mayTry()) {
      throw new StoreException(name, StoreException.Outcome.NONE, name + " is unavailable");
    }
    return call(operation);
  }

  /** Calls the store and reports the result to the breaker. */
  private <T> T call(Function<LeaseStore, T> operation) {
    try {
      T result = operation.apply(store);
      breaker.succeeded();
      return result;
    } catch (StoreException e) {
      observer.storeFailed(name, e);
      breaker.failed();
      throw e;
    } catch (IllegalArgumentException | Error e) {
      // An error of the caller, or of this process, such as a heap that is full. It says nothing
      // about the store.
      breaker.notAsked();
      throw e;
    } catch (RuntimeException e) {
      breaker.failed();
      throw e;
    }
  }

  /** Returns the creation time to pass on. When open, lost leases must not hold up any caller. */
  private Instant trusted(Instant createdAt) {
    return switch (onFailure) {
      case CLOSED -> createdAt;
      case OPEN -> Instant.MAX;
    };
  }

  private LeaseDecision orUnchecked(
      LeaseDecision unavailable, String id, int places, long forMicros) {
    return switch (onFailure) {
      case CLOSED -> unavailable;
      case OPEN ->
          new LeaseDecision.Unchecked(new Lease(id, places, nowMicros.getAsLong() + forMicros));
    };
  }

  @Override
  public void close() {
    store.close();
  }
}
