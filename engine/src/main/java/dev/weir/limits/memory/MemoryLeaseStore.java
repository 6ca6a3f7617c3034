package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.internal.SteadyClock;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LiveLeases;
import dev.weir.limits.Queue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Leases in the memory of this process.
 *
 * <p>Resources are distributed over stripes with one lock each. A resource is removed when its last
 * lease is released, or by sweeping after that has expired: each call checks a few other resources
 * of its stripe. If too many resources have leases, requests for new ones fail with {@link
 * StoreException}. Thread-safe.
 */
public final class MemoryLeaseStore implements LeaseStore {
  /** The memory of a resource with a lease: their names are texts. */
  private static final long BYTES_A_RESOURCE = 1_000;

  /** The default maximum number of resources with leases: those fit in an eighth of the heap. */
  public static final int DEFAULT_MAX_RESOURCES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 8 / BYTES_A_RESOURCE, 1_000, 1_000_000);

  private static final int STRIPES = 64;

  /** The number of resources that each call checks for expiry. */
  private static final int SWEEP = 2;

  private final LongSupplier nowMicros;
  private final int maxPerStripe;
  private final Stripe[] stripes = new Stripe[STRIPES];

  public MemoryLeaseStore() {
    this(SteadyClock.sinceStart(), DEFAULT_MAX_RESOURCES);
  }

  /** Creates a store that uses the given clock. */
  public MemoryLeaseStore(InstantSource clock) {
    this(clock, DEFAULT_MAX_RESOURCES);
  }

  /**
   * Creates a store with its own clock and capacity.
   *
   * @param maxResources the maximum number of resources with leases; it applies to each stripe
   *     proportionally, so it may be reached a little earlier
   */
  public MemoryLeaseStore(InstantSource clock, int maxResources) {
    this(() -> Micros.ceil(clock.instant()), maxResources);
  }

  private MemoryLeaseStore(LongSupplier nowMicros, int maxResources) {
    if (maxResources < 1) {
      throw new IllegalArgumentException("maxResources must be at least 1, not " + maxResources);
    }
    this.nowMicros = nowMicros;
    this.maxPerStripe = Math.ceilDiv(maxResources, STRIPES);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();

    /** Ordered by the time of the last check, the most recent last. */
    final Map<String, LiveLeases> resources = new LinkedHashMap<>();

    void put(String resource, LiveLeases leases) {
      resources.remove(resource);
      if (!leases.isEmpty()) {
        resources.put(resource, leases);
      }
    }

    void sweep(int max, long nowMicros) {
      for (int i = 0; i < max && !resources.isEmpty(); i++) {
        String first = resources.keySet().iterator().next();
        put(first, resources.getOrDefault(first, LiveLeases.NONE).at(nowMicros));
      }
    }
  }

  @FunctionalInterface
  private interface Transition<D extends LeaseDecision> {
    LiveLeases.Step<D> apply(LiveLeases leases, long nowMicros);
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    LimitNames.require("leaseId", leaseId);
    return step(resource, (leases, now) -> limit.acquire(leases, leaseId, places, now));
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    return step(resource, (leases, now) -> limit.renew(leases, leaseId, now));
  }

  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return step(resource, (leases, now) -> Concurrency.release(leases, leaseId, now));
  }

  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    long delayMicros = Concurrency.delayMicros(delay);
    return step(
        resource, (leases, now) -> Concurrency.releaseAfter(leases, leaseId, delayMicros, now));
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    LimitNames.require("ticketId", ticketId);
    return step(resource, (leases, now) -> queue.join(leases, ticketId, now));
  }

  @Override
  public int current(String resource) {
    return step(
            resource,
            (leases, now) -> {
              LiveLeases live = leases.at(now);
              return new LiveLeases.Step<>(live, new LeaseDecision.Gone(live.places()));
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

  private <D extends LeaseDecision> D step(String resource, Transition<D> transition) {
    LimitNames.require("resource", resource);
    Stripe stripe = stripe(resource);
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      LiveLeases leases = stripe.resources.getOrDefault(resource, LiveLeases.NONE);
      LiveLeases.Step<D> step = transition.apply(leases, now);
      stripe.sweep(SWEEP, now);
      if (!stripe.resources.containsKey(resource)
          && !step.next().isEmpty()
          && stripe.resources.size() >= maxPerStripe) {
        throw StoreException.full("full: too many resources have leases");
      }
      stripe.put(resource, step.next());
      return step.decision();
    } finally {
      stripe.lock.unlock();
    }
  }

  /**
   * Returns the number of resources with leases, including those that have expired and were not
   * swept yet.
   */
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

  /** Does nothing. */
  @Override
  public void close() {}

  private Stripe stripe(String resource) {
    int hash = resource.hashCode();
    return stripes[(hash ^ (hash >>> 16)) & (STRIPES - 1)];
  }
}
