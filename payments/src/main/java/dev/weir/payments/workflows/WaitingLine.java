package dev.weir.payments.workflows;

import dev.weir.internal.Micros;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import java.time.Duration;
import java.util.UUID;

/**
 * The line of callers that found the ceiling reached. Each is told to wait a step longer than the
 * one before it, so that a thousand of them do not try again together every second: a caller that
 * comes after its wait usually finds a place. Thread-safe.
 */
final class WaitingLine {
  private static final int MAX_WAITING = 100_000;

  private final LeaseStore leases;
  private final String resource;
  private final Queue queue;

  /**
   * @param delayMicros the time between two callers
   */
  WaitingLine(LeaseStore leases, String resource, long delayMicros) {
    this.leases = leases;
    this.resource = resource;
    this.queue = new Queue(MAX_WAITING, delayMicros);
  }

  /**
   * Joins the line and returns how long to wait.
   *
   * @param paymentId only makes the entry recognizable: each wait is a new one, because a caller
   *     that comes too early would otherwise find its old place
   */
  Duration join(String paymentId) {
    String ticket = paymentId + '/' + UUID.randomUUID().toString().substring(0, 8);
    return switch (leases.join(resource, queue, ticket)) {
      case LeaseDecision.Held held -> Micros.duration(held.current() * queue.delayMicros());
      case LeaseDecision.Full full -> Micros.duration(MAX_WAITING * queue.delayMicros());
      case LeaseDecision.Unavailable unavailable -> unavailable.retryAfter();
      case LeaseDecision.Unchecked unchecked -> Micros.duration(queue.delayMicros());
    };
  }
}
