package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.internal.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.LongSupplier;

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

  private final GuardedStore<LeaseStore> store;
  private final OnFailure onFailure;
  private final LongSupplier nowMicros;

  private LeaseFailover(Builder builder) {
    this.nowMicros = builder.nowMicros;
    this.onFailure = builder.onFailure;
    this.store =
        new GuardedStore<>(
            builder.name, builder.store, builder.breaker, builder.observer, nowMicros);
  }

  /** Returns a builder of a failover for this store, which is closed with it. */
  public static Builder of(LeaseStore store) {
    return new Builder(store);
  }

  /** Builds a {@link LeaseFailover}. Every part but the store has a default. */
  public static final class Builder {
    private final LeaseStore store;
    private String name = "leases";
    private OnFailure onFailure = OnFailure.CLOSED;
    private CircuitBreaker.Settings breaker = CircuitBreaker.Settings.DEFAULT;
    private LimitObserver observer = LimitObserver.NONE;
    private LongSupplier nowMicros = SteadyClock.sinceStart();

    private Builder(LeaseStore store) {
      this.store = requireNonNull(store, "store");
    }

    /** Sets the name of the store in metrics and messages; {@code leases} by default. */
    public Builder named(String storeName) {
      this.name = requireNonNull(storeName, "name");
      return this;
    }

    /** Sets the behaviour while the store is unavailable; {@link OnFailure#CLOSED} by default. */
    public Builder onFailure(OnFailure behaviour) {
      this.onFailure = requireNonNull(behaviour, "onFailure");
      return this;
    }

    /** Sets when the store is no longer called, and when it is tried again. */
    public Builder breaker(CircuitBreaker.Settings settings) {
      this.breaker = requireNonNull(settings, "breaker");
      return this;
    }

    public Builder observer(LimitObserver receiver) {
      this.observer = requireNonNull(receiver, "observer");
      return this;
    }

    /** Sets the clock of this node, which never steps backwards. */
    public Builder clock(InstantSource clock) {
      requireNonNull(clock, "clock");
      this.nowMicros = () -> Micros.ceil(clock.instant());
      return this;
    }

    public LeaseFailover build() {
      return new LeaseFailover(this);
    }
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    return acquire(resource, limit, leaseId, places, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places, LeaseHistory history) {
    return attempt(
        leases -> leases.acquire(resource, limit, leaseId, places, trusted(history)),
        unavailable -> isOpen() ? unchecked(leaseId, places, limit.ttlMicros()) : unavailable);
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    return attempt(
        leases -> leases.renew(resource, limit, leaseId),
        unavailable -> isOpen() ? unchecked(leaseId, 1, limit.ttlMicros()) : unavailable);
  }

  /** Ends a lease. If the store is unavailable, the lease lasts until it expires. */
  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return attempt(leases -> leases.release(resource, leaseId), unavailable -> unavailable);
  }

  /** Lets a lease end earlier. If the store is unavailable, it lasts until it expires. */
  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    return attempt(
        leases -> leases.releaseAfter(resource, leaseId, delay), unavailable -> unavailable);
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    return join(resource, queue, ticketId, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition join(
      String resource, Queue queue, String ticketId, LeaseHistory history) {
    return attempt(
        leases -> leases.join(resource, queue, ticketId, trusted(history)),
        unavailable -> isOpen() ? unchecked(ticketId, 1, queue.delayMicros()) : unavailable);
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
  public int current(String resource, Concurrency limit, LeaseHistory history) {
    return required(leases -> leases.current(resource, limit, trusted(history)));
  }

  @Override
  public int current(String resource, Queue queue, LeaseHistory history) {
    return required(leases -> leases.current(resource, queue, trusted(history)));
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

  private <D extends LeaseDecision> D attempt(
      Function<LeaseStore, D> operation, Function<LeaseDecision.Unavailable, D> fallback) {
    boolean mayBeDone = false;
    if (store.breaker().mayTry()) {
      try {
        return store.call(operation, decision -> true);
      } catch (StoreException e) {
        mayBeDone = e.outcome() == StoreException.Outcome.UNKNOWN;
      }
    }
    return fallback.apply(
        new LeaseDecision.Unavailable(store.breaker().retryAfterMicros(), mayBeDone));
  }

  /** Returns the result of the store. Throws if it is not called or does not respond. */
  private <T> T required(Function<LeaseStore, T> operation) {
    if (!store.breaker().mayTry()) {
      throw store.unavailable();
    }
    return store.call(operation, result -> true);
  }

  private boolean isOpen() {
    return onFailure == OnFailure.OPEN;
  }

  /** Returns the history to pass on. When open, lost leases must not hold up any caller. */
  private LeaseHistory trusted(LeaseHistory history) {
    return isOpen() ? LeaseHistory.since(Instant.MAX) : history;
  }

  private LeaseDecision.Unchecked unchecked(String id, int places, long forMicros) {
    return new LeaseDecision.Unchecked(new Lease(id, places, nowMicros.getAsLong() + forMicros));
  }

  @Override
  public void close() {
    store.store().close();
  }
}
