package dev.weir.engine.limits;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import java.time.Instant;

/**
 * The port to whoever keeps leases. It applies the transitions of core to resources, each as one
 * atomic step, by its own clock.
 *
 * <p>Thread-safe; callers block and are meant to be virtual threads. A store that is gone, late or
 * overloaded throws {@link dev.weir.engine.StoreException}, which says whether anything may have
 * been taken.
 */
public interface LeaseStore extends AutoCloseable {
  /** Takes places, under an id that the caller made up; the same id again changes nothing. */
  LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places);

  /**
   * Takes places of a resource that was made at a time. A store that has lost its leases gives none
   * until those have ended; nothing can have been lost of a resource that is newer than the loss.
   */
  default LeaseDecision acquire(
      String resource, Concurrency limit, String leaseId, int places, Instant createdAt) {
    return acquire(resource, limit, leaseId, places);
  }

  /** Lets a lease last for another time to live. */
  LeaseDecision renew(String resource, Concurrency limit, String leaseId);

  /** Ends a lease. Twice is harmless. */
  LeaseDecision release(String resource, String leaseId);

  /** How many places are held. */
  int current(String resource);

  /**
   * Takes a place in the queue of a resource.
   *
   * @return {@link LeaseDecision.Held}, whose {@code current} is the position, or {@link
   *     LeaseDecision.Full}
   */
  LeaseDecision join(String resource, Queue queue, String ticketId);

  /** Takes a place in the queue of a resource that was made at a time; see {@link #acquire}. */
  default LeaseDecision join(String resource, Queue queue, String ticketId, Instant createdAt) {
    return join(resource, queue, ticketId);
  }

  /** Ends all leases. */
  void forget(String resource);

  @Override
  void close();
}
