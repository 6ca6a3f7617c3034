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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Leases in the memory of this process.
 *
 * <p>Resources are distributed over stripes with one lock each. A resource is removed when its last
 * lease is released, or by sweeping after that has expired: each call checks a few other resources
 * of its stripe. If too many resources have leases, or there are too many leases over all, requests
 * for new ones fail with {@link StoreException}. Thread-safe.
 */
public final class MemoryLeaseStore implements LeaseStore {
  /** The memory of a resource with a lease: their names are texts. */
  private static final long BYTES_A_RESOURCE = 1_000;

  /** The default maximum number of resources with leases: those fit in an eighth of the heap. */
  public static final int DEFAULT_MAX_RESOURCES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 8 / BYTES_A_RESOURCE, 1_000, 1_000_000);

  /** The memory of a lease: its id is a text, and it is a node of two trees. */
  private static final long BYTES_A_LEASE = 500;

  /** The default maximum number of leases: those fit in an eighth of the heap. */
  public static final int DEFAULT_MAX_LEASES =
      Math.clamp(Runtime.getRuntime().maxMemory() / 8 / BYTES_A_LEASE, 1_000, Integer.MAX_VALUE);

  private static final int STRIPES = 64;

  /** The number of resources that each call checks for expiry. */
  private static final int SWEEP = 2;

  /** The number of resources that a call checks in another stripe if there are too many leases. */
  private static final int SWEEP_IF_FULL = 100;

  private final LongSupplier nowMicros;
  private final int maxPerStripe;
  private final int maxLeases;

  /** Of all stripes. */
  private final AtomicInteger leases = new AtomicInteger();

  /** The stripe to be swept next if there are too many leases. */
  private final AtomicInteger nextSwept = new AtomicInteger();

  private final Stripe[] stripes = new Stripe[STRIPES];

  public MemoryLeaseStore() {
    this(DEFAULT_MAX_LEASES);
  }

  /**
   * Creates a store for a number of leases.
   *
   * @param maxLeases the maximum number of leases of all resources
   */
  public MemoryLeaseStore(int maxLeases) {
    this(SteadyClock.sinceStart(), DEFAULT_MAX_RESOURCES, maxLeases);
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
    this(clock, maxResources, DEFAULT_MAX_LEASES);
  }

  /**
   * Creates a store with its own clock and capacities.
   *
   * @param maxResources as above
   * @param maxLeases the maximum number of leases of all resources
   */
  public MemoryLeaseStore(InstantSource clock, int maxResources, int maxLeases) {
    this(() -> Micros.ceil(clock.instant()), maxResources, maxLeases);
  }

  private MemoryLeaseStore(LongSupplier nowMicros, int maxResources, int maxLeases) {
    if (maxResources < 1) {
      throw new IllegalArgumentException("maxResources must be at least 1, not " + maxResources);
    }
    if (maxLeases < 1) {
      throw new IllegalArgumentException("maxLeases must be at least 1, not " + maxLeases);
    }
    this.nowMicros = nowMicros;
    this.maxLeases = maxLeases;
    this.maxPerStripe = Math.ceilDiv(maxResources, STRIPES);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  private final class Stripe {
    final ReentrantLock lock = new ReentrantLock();

    /** Ordered by the time of the last check, the most recent last. */
    final Map<String, LiveLeases> resources = new LinkedHashMap<>();

    void put(String resource, LiveLeases next) {
      LiveLeases before = resources.remove(resource);
      if (!next.isEmpty()) {
        resources.put(resource, next);
      }
      int more = next.size() - (before == null ? 0 : before.size());
      if (more != 0) {
        leases.addAndGet(more);
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
      stripe.put(resource, LiveLeases.NONE);
    } finally {
      stripe.lock.unlock();
    }
  }

  private <D extends LeaseDecision> D step(String resource, Transition<D> transition) {
    LimitNames.require("resource", resource);
    try {
      return step(stripe(resource), resource, transition);
    } catch (StoreException e) {
      // Leases that have expired in stripes without requests must not keep the store full.
      sweepAnother();
      throw e;
    }
  }

  private void sweepAnother() {
    Stripe stripe = stripes[nextSwept.getAndIncrement() & (STRIPES - 1)];
    stripe.lock.lock();
    try {
      stripe.sweep(SWEEP_IF_FULL, nowMicros.getAsLong());
    } finally {
      stripe.lock.unlock();
    }
  }

  private <D extends LeaseDecision> D step(
      Stripe stripe, String resource, Transition<D> transition) {
    stripe.lock.lock();
    try {
      long now = nowMicros.getAsLong();
      LiveLeases before = stripe.resources.getOrDefault(resource, LiveLeases.NONE);
      LiveLeases.Step<D> step = transition.apply(before, now);
      stripe.sweep(SWEEP, now);
      if (!stripe.resources.containsKey(resource)
          && !step.next().isEmpty()
          && stripe.resources.size() >= maxPerStripe) {
        throw StoreException.full("full: too many resources have leases");
      }
      // Stripes are not locked together, so each of them may go beyond by one.
      if (step.next().size() > before.size() && leases.get() >= maxLeases) {
        throw StoreException.full("full: %d leases are held".formatted(maxLeases));
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
