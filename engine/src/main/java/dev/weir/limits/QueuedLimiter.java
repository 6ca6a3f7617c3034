package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.LimitNames;
import java.time.Duration;
import java.util.UUID;

/**
 * A limiter with a queue in front: a caller that is refused may wait instead, and then proceeds.
 *
 * <p>Places are counted separately for each policy and key, as leases that expire with the wait. So
 * a queue never exceeds its maximum size, on any number of nodes, and leaves nothing behind.
 * Thread-safe.
 */
public final class QueuedLimiter {
  private final Limiter limiter;
  private final Leases places;
  private final Queue queue;

  /**
   * Creates a limiter with a queue.
   *
   * @param places holds the places in the queue; it may hold other leases as well
   */
  public QueuedLimiter(Limiter limiter, Leases places, Queue queue) {
    this.limiter = requireNonNull(limiter, "limiter");
    this.places = requireNonNull(places, "places");
    this.queue = requireNonNull(queue, "queue");
  }

  /**
   * Takes {@code cost} units, or a place in the queue. A limit that is closed because its store is
   * unavailable has no queue, see {@link Failover}: callers would pass it after their wait.
   *
   * @param ticketId a name for the place, chosen by the caller; {@link #leave} takes it
   * @return {@link Delayed} if the caller has to wait for that time and may then proceed without
   *     another request; {@link Decision.Refused} if the queue is full as well, or the limit is
   *     closed
   */
  public Outcome acquire(Policy policy, String key, long cost, String ticketId) {
    AcquireResult result = limiter.acquire(AcquireRequest.of(new LimitRequest(policy, key, cost)));
    if (!(result.decision() instanceof Decision.Refused refused)
        || result.mode() == AcquireResult.Mode.CLOSED) {
      return result.decision();
    }
    return queue.outcome(refused, places.join(resource(policy, key), queue, ticketId));
  }

  /** Gives up a place before the wait is over. May be repeated. */
  public void leave(Policy policy, String key, String ticketId) {
    places.release(resource(policy, key), ticketId);
  }

  /**
   * Takes one unit, waiting in the queue if necessary. Meant for virtual threads.
   *
   * @return false if the queue is full, or the limit is closed
   * @throws InterruptedException if the caller is interrupted while waiting; its place is given up
   */
  public boolean acquireWaiting(Policy policy, String key) throws InterruptedException {
    String ticketId = UUID.randomUUID().toString();
    return switch (acquire(policy, key, 1, ticketId)) {
      case Decision.Allowed allowed -> true;
      case Decision.Refused refused -> false;
      case Delayed delayed -> {
        sleep(policy, key, ticketId, delayed.delay());
        yield true;
      }
    };
  }

  private void sleep(Policy policy, String key, String ticketId, Duration delay)
      throws InterruptedException {
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      try {
        leave(policy, key, ticketId);
      } catch (RuntimeException failure) {
        // The place ends by itself; that the caller was interrupted must not be lost.
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  private static String resource(Policy policy, String key) {
    return LimitNames.resource("queue", policy.name(), key);
  }
}
