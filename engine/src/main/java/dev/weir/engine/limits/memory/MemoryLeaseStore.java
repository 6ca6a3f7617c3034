package dev.weir.engine.limits.memory;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.LiveLeases;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Leases in the memory of this process.
 *
 * <p>Resources are spread over stripes with a lock each. A resource vanishes when its last lease is
 * released, or is swept after that has ended: each call looks at a few others of its stripe. When
 * more resources have leases than may, new ones are told {@link StoreException}. Thread-safe.
 */
public final class MemoryLeaseStore implements LeaseStore {
  /** So many resources may have leases unless told otherwise. */
  public static final int DEFAULT_MOST_RESOURCES = 1_000_000;

  private static final int STRIPES = 64;

  /** So many resources are looked at by each call, whether they have ended. */
  private static final int SWEEP = 2;

  private final LongSupplier nowMicros;
  private final int mostPerStripe;
  private final Stripe[] stripes = new Stripe[STRIPES];

  public MemoryLeaseStore() {
    this(BusyClock.sinceStart());
  }

  /** A store that goes by the given clock, in microseconds since the epoch. */
  public MemoryLeaseStore(LongSupplier nowMicros) {
    this(nowMicros, DEFAULT_MOST_RESOURCES);
  }

  /**
   * A store with a clock and a bound of its own.
   *
   * @param nowMicros in microseconds since the epoch
   * @param mostResources so many resources may have leases; the bound is kept stripe by stripe, so
   *     that it may be reached a little earlier
   */
  public MemoryLeaseStore(LongSupplier nowMicros, int mostResources) {
    if (mostResources < 1) {
      throw new IllegalArgumentException("mostResources must be at least 1, not " + mostResources);
    }
    this.nowMicros = nowMicros;
    this.mostPerStripe = Math.ceilDiv(mostResources, STRIPES);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();

    /** Those that were looked at last are last. */
    final Map<String, LiveLeases> resources = new LinkedHashMap<>();

    void put(String resource, LiveLeases leases) {
      resources.remove(resource);
      if (!leases.isEmpty()) {
        resources.put(resource, leases);
      }
    }

    void sweep(int most, long nowMicros) {
      for (int i = 0; i < most && !resources.isEmpty(); i++) {
        String first = resources.keySet().iterator().next();
        put(first, resources.getOrDefault(first, LiveLeases.NONE).at(nowMicros));
      }
    }
  }

  @FunctionalInterface
  private interface Transition {
    LiveLeases.Step apply(LiveLeases leases, long nowMicros);
  }

  @Override
  public LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places) {
    LimitNames.require("leaseId", leaseId);
    return step(resource, (leases, now) -> limit.acquire(leases, leaseId, places, now));
  }

  @Override
  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return step(resource, (leases, now) -> limit.renew(leases, leaseId, now));
  }

  @Override
  public LeaseDecision release(String resource, String leaseId) {
    return step(resource, (leases, now) -> Concurrency.release(leases, leaseId, now));
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId) {
    LimitNames.require("ticketId", ticketId);
    return step(resource, (leases, now) -> queue.join(leases, ticketId, now));
  }

  @Override
  public int current(String resource) {
    return step(
            resource,
            (leases, now) -> {
              LiveLeases live = leases.at(now);
              return new LiveLeases.Step(live, new LeaseDecision.Gone(live.places()));
            })
        .current();
  }

  @Override
  public void forget(String resource) {
    Stripe stripe = stripe(resource);
    stripe.lock.lock();
    try {
      stripe.resources.remove(resource);
    } finally {
      stripe.lock.unlock();
    }
  }

  private LeaseDecision step(String resource, Transition transition) {
    LimitNames.require("resource", resource);
    Stripe stripe = stripe(resource);
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      LiveLeases leases = stripe.resources.getOrDefault(resource, LiveLeases.NONE);
      LiveLeases.Step step = transition.apply(leases, now);
      stripe.sweep(SWEEP, now);
      if (!stripe.resources.containsKey(resource)
          && !step.next().isEmpty()
          && stripe.resources.size() >= mostPerStripe) {
        throw StoreException.full("full: too many resources have leases");
      }
      stripe.put(resource, step.next());
      return step.decision();
    } finally {
      stripe.lock.unlock();
    }
  }

  /** How many resources have leases, those included that have ended and were not swept yet. */
  public int resources() {
    int sum = 0;
    for (Stripe stripe : stripes) {
      stripe.lock.lock();
      try {
        sum += stripe.resources.size();
      } finally {
        stripe.lock.unlock();
      }
    }
    return sum;
  }

  /** Nothing is to be closed. */
  @Override
  public void close() {}

  private Stripe stripe(String resource) {
    int hash = resource.hashCode();
    return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
  }
}
