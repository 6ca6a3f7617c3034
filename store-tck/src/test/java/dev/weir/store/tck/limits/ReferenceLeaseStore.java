package dev.weir.store.tck.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LiveLeases;
import dev.weir.limits.Queue;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A simple store that the kit accepts; with a defect, one that the kit must reject. */
public final class ReferenceLeaseStore implements LeaseStore {
  /** A deliberate mistake in this store. */
  public enum Defect {
    NONE,
    GIVES_ONE_PLACE_TOO_MANY,
    ENDS_LEASES_A_MICROSECOND_EARLY,
    ENDS_LEASES_A_MICROSECOND_LATE,
    RENEWS_THE_DEAD,
    RELEASES_WITHOUT_THE_DELAY,
    COUNTS_LEASES_NOT_PLACES,
    QUEUES_ONE_TOO_MANY,
    GIVES_THE_SAME_ID_TWO_LEASES,
    ACQUIRES_WITHOUT_A_LOCK,
    JOINS_WITHOUT_A_LOCK
  }

  private final InstantSource clock;
  private final Defect defect;
  private final Map<String, LiveLeases> resources = new HashMap<>();
  private int made;

  public ReferenceLeaseStore(InstantSource clock, Defect defect) {
    this.clock = clock;
    this.defect = defect;
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    LiveLeases before = get(resource);
    if (is(Defect.ACQUIRES_WITHOUT_A_LOCK)) {
      LockSupport.parkNanos(1);
    }
    synchronized (this) {
      Concurrency believed =
          is(Defect.GIVES_ONE_PLACE_TOO_MANY) && limit.max() < Concurrency.MAX_PLACES
              ? new Concurrency(limit.max() + 1, limit.ttlMicros())
              : limit;
      String id = is(Defect.GIVES_THE_SAME_ID_TWO_LEASES) ? leaseId + made++ : leaseId;
      if (places > limit.max()) {
        limit.acquire(LiveLeases.NONE, id, places, now());
      }
      return put(
          resource,
          believed.acquire(
              is(Defect.ACQUIRES_WITHOUT_A_LOCK) ? before : get(resource),
              id,
              is(Defect.COUNTS_LEASES_NOT_PLACES) ? 1 : places,
              now()));
    }
  }

  @Override
  public synchronized LeaseDecision.Renewal renew(
      String resource, Concurrency limit, String leaseId) {
    long now = is(Defect.RENEWS_THE_DEAD) ? now() - 1 : now();
    return put(resource, limit.renew(get(resource), leaseId, now));
  }

  @Override
  public synchronized LeaseDecision.Release release(String resource, String leaseId) {
    return put(resource, Concurrency.release(get(resource), leaseId, now()));
  }

  @Override
  public synchronized LeaseDecision.Release releaseAfter(
      String resource, String leaseId, Duration delay) {
    if (is(Defect.RELEASES_WITHOUT_THE_DELAY)) {
      return release(resource, leaseId);
    }
    return put(
        resource,
        Concurrency.releaseAfter(get(resource), leaseId, Concurrency.delayMicros(delay), now()));
  }

  @Override
  public synchronized int current(String resource) {
    return get(resource).at(now()).places();
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    LiveLeases before = get(resource);
    if (is(Defect.JOINS_WITHOUT_A_LOCK)) {
      LockSupport.parkNanos(1);
    }
    synchronized (this) {
      Queue believed =
          is(Defect.QUEUES_ONE_TOO_MANY) && queue.maxSize() < Concurrency.MAX_PLACES
              ? new Queue(queue.maxSize() + 1, queue.delayMicros())
              : queue;
      return put(
          resource,
          believed.join(is(Defect.JOINS_WITHOUT_A_LOCK) ? before : get(resource), ticketId, now()));
    }
  }

  @Override
  public synchronized void forget(String resource) {
    resources.remove(resource);
  }

  @Override
  public void close() {}

  private synchronized LiveLeases get(String resource) {
    return resources.getOrDefault(resource, LiveLeases.NONE);
  }

  private <D extends LeaseDecision> D put(String resource, LiveLeases.Step<D> step) {
    resources.put(resource, step.next());
    return step.decision();
  }

  private long now() {
    long now = Micros.ceil(clock.instant());
    return switch (defect) {
      case ENDS_LEASES_A_MICROSECOND_EARLY -> now + 1;
      case ENDS_LEASES_A_MICROSECOND_LATE -> now - 1;
      default -> now;
    };
  }

  private boolean is(Defect other) {
    return defect == other;
  }
}
