package dev.weir.engine.limits;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * A lease store that answers while its store is gone: {@link LeaseDecision.Unavailable}, or {@link
 * LeaseDecision.Unchecked} for those who are let pass.
 *
 * <p>There is no share of a lease and no second store for it: who holds one cannot be known from
 * elsewhere. Closed, nothing passes beyond the limit. Open, everything does that comes while the
 * store is gone; what was let pass is not counted when it is back. Thread-safe.
 */
public final class LeaseFailover implements LeaseStore {
  /** What is said when the store is gone. */
  public enum OnFailure {
    /** Nothing is given, and nothing is known about what is held. */
    CLOSED,
    /** There is a place for everyone. */
    OPEN
  }

  private final String name;
  private final LeaseStore store;
  private final OnFailure onFailure;
  private final LimitObserver observer;
  private final LongSupplier nowMicros;
  private final Breaker breaker;

  public LeaseFailover(
      String name,
      LeaseStore store,
      OnFailure onFailure,
      Breaker.Settings settings,
      LimitObserver observer) {
    this(name, store, onFailure, settings, observer, BusyClock.sinceStart());
  }

  /** One that goes by the given clock, in microseconds since the epoch. */
  public LeaseFailover(
      String name,
      LeaseStore store,
      OnFailure onFailure,
      Breaker.Settings settings,
      LimitObserver observer,
      LongSupplier nowMicros) {
    this.name = name;
    this.store = store;
    this.onFailure = onFailure;
    this.observer = observer;
    this.nowMicros = nowMicros;
    this.breaker =
        new Breaker(
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
    return tried(
        there -> there.acquire(resource, limit, leaseId, places, trusted(createdAt)),
        unavailable -> orUnchecked(unavailable, leaseId, places, limit.ttlMicros()));
  }

  @Override
  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return tried(
        there -> there.renew(resource, limit, leaseId),
        unavailable -> orUnchecked(unavailable, leaseId, 1, limit.ttlMicros()));
  }

  /** Ends a lease; if the store is gone, the lease lasts until its time is over. */
  @Override
  public LeaseDecision release(String resource, String leaseId) {
    return tried(there -> there.release(resource, leaseId), unavailable -> unavailable);
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId) {
    return join(resource, queue, ticketId, Instant.MIN);
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId, Instant createdAt) {
    return tried(
        there -> there.join(resource, queue, ticketId, trusted(createdAt)),
        unavailable -> orUnchecked(unavailable, ticketId, 1, queue.delayMicros()));
  }

  /** How many places are held. Throws if the store is gone: nobody knows. */
  @Override
  public int current(String resource) {
    return required(there -> there.current(resource));
  }

  /** Ends all leases. Throws if the store is gone. */
  @Override
  public void forget(String resource) {
    required(
        there -> {
          there.forget(resource);
          return resource;
        });
  }

  private LeaseDecision tried(
      Function<LeaseStore, LeaseDecision> question, UnaryOperator<LeaseDecision> otherwise) {
    boolean mayBeDone = false;
    if (breaker.mayTry()) {
      try {
        return said(question);
      } catch (StoreException e) {
        mayBeDone = e.outcome() == StoreException.Outcome.UNKNOWN;
      }
    }
    return otherwise.apply(new LeaseDecision.Unavailable(breaker.retryAfterMicros(), mayBeDone));
  }

  /** What the store says. Throws if it is not asked, or does not answer. */
  private <T> T required(Function<LeaseStore, T> question) {
    if (!breaker.mayTry()) {
      throw new StoreException(StoreException.Outcome.NONE, name + " is gone");
    }
    return said(question);
  }

  /** Asks the store, and lets the breaker know how it went. */
  private <T> T said(Function<LeaseStore, T> question) {
    boolean isSettled = false;
    try {
      T answer = question.apply(store);
      isSettled = true;
      breaker.succeeded();
      return answer;
    } catch (StoreException e) {
      observer.storeFailed(name, e);
      throw e;
    } catch (IllegalArgumentException e) {
      // The caller's fault. It was not sent, so the store has proved nothing.
      isSettled = true;
      breaker.notAsked();
      throw e;
    } finally {
      if (!isSettled) {
        breaker.failed();
      }
    }
  }

  /** Open, what was lost holds no one up. */
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
