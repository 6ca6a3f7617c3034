package dev.weir.limits;

import java.time.Duration;

/**
 * A store of leases. It applies the transitions of limits to resources, each as one atomic step, by
 * its own clock.
 *
 * <p>Implementations are thread-safe; callers block and are meant to be virtual threads. A store
 * that is unavailable, late or overloaded throws {@link dev.weir.StoreException}, which says
 * whether anything may have been taken.
 */
public interface LeaseStore extends AutoCloseable {
  /**
   * Acquires places under an id chosen by the caller. Repeating the call with the same id has no
   * further effect.
   */
  LeaseDecision.Acquisition acquire(String resource, Concurrency limit, String leaseId, int places);

  /**
   * Acquires places of a resource with a known history. A store that has lost its leases grants
   * none until the lost ones have expired, including those with a former, longer time to live;
   * nothing can have been lost of a resource that is newer than the loss.
   */
  default LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places, LeaseHistory history) {
    return acquire(resource, limit, leaseId, places);
  }

  /** Extends a lease by another time to live. */
  LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId);

  /** Ends a lease. May be repeated. */
  LeaseDecision.Release release(String resource, String leaseId);

  /**
   * Lets a lease end after a delay, or when it expires if that is earlier. May be repeated, which
   * does not prolong it.
   *
   * @return {@link LeaseDecision.Held} with the lease as it is now, or {@link LeaseDecision.Gone}
   */
  LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay);

  /** Returns the number of places held. */
  int current(String resource);

  /**
   * Returns the number of places held of a resource with a known history. A store that has lost its
   * leases reports all places until the lost ones have expired, because {@link #acquire} grants
   * none until then.
   */
  default int current(String resource, Concurrency limit, LeaseHistory history) {
    return current(resource);
  }

  /** Returns the number of places held in the queue of a resource with a known history. */
  default int current(String resource, Queue queue, LeaseHistory history) {
    return current(resource);
  }

  /**
   * Takes a place in the queue of a resource.
   *
   * @return {@link LeaseDecision.Held}, whose {@code current} is the position, or {@link
   *     LeaseDecision.Full}
   */
  LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId);

  /** Takes a place in the queue of a resource with a known history; see {@link #acquire}. */
  default LeaseDecision.Acquisition join(
      String resource, Queue queue, String ticketId, LeaseHistory history) {
    return join(resource, queue, ticketId);
  }

  /** Ends all leases of a resource. */
  void forget(String resource);

  @Override
  void close();
}
