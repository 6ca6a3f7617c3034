package dev.weir.workflows.payments;

import dev.weir.engine.payments.PaymentStore;
import dev.weir.engine.payments.PaymentStore.OpenPayment;
import dev.weir.engine.payments.PaymentStore.Position;
import dev.weir.workflows.PacedStart;
import dev.weir.workflows.PacedStarter;
import io.temporal.client.WorkflowClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes what a crash has interrupted: feeds whose payments are not all started, and payments
 * whose time has passed without an end. Both are started again; what runs already stays as it is,
 * and a payment that has ended is not made again.
 *
 * <p>Several may run at the same time, on several nodes. Not thread-safe itself.
 */
public final class PaymentReconciler implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PaymentReconciler.class);
  private static final int MAX_FEEDS = 100;
  private static final int PAGE = 500;

  /** Payments that are looked at in one run; the next run continues after them. */
  private static final int MAX_PAYMENTS = 5_000;

  /** The ends of the spans of time whose payments are started in no particular order. */
  private static final List<Duration> RESTARTED_TOGETHER =
      List.of(
          Duration.ZERO,
          Duration.ofMinutes(1),
          Duration.ofMinutes(10),
          Duration.ofHours(1),
          Duration.ofHours(6),
          Duration.ofDays(1),
          Duration.ofDays(7));

  private final PaymentStore store;
  private final PacedStarter starter;
  private final PaymentStarts starts;
  private final PaymentParts parts;
  private final Duration grace;
  private Position reached = Position.START;

  /**
   * @param grace the time after its slot at which a payment should have ended
   */
  public PaymentReconciler(WorkflowClient client, PaymentParts parts, Duration grace) {
    this.store = parts.store();
    this.starts = new PaymentStarts(client, parts.taskQueue());
    this.starter = PaymentWorker.starter(client, parts);
    this.parts = parts;
    this.grace = grace;
  }

  /** Runs one round. */
  @Override
  public void run() {
    // Before feeds are closed, because those of closed feeds are not looked at.
    freeSlotsOfCancelled();
    store.closeFeeds();
    resumeFeeds();
    Instant before = parts.clock().instant().minus(grace);
    for (int looked = 0; looked < MAX_PAYMENTS; looked += PAGE) {
      reached = restart(Instant.MIN, before, reached);
      if (reached.equals(Position.START)) {
        return;
      }
    }
  }

  /** Frees slots that were assigned, or not freed, because a cancellation was interrupted. */
  private void freeSlotsOfCancelled() {
    store.cancelledWithSlots(PAGE).forEach(parts.slots()::cancel);
  }

  /**
   * Starts all open payments again, at the times of their slots: for a Temporal server that has
   * lost its workflows, or keeps them only in memory. That takes hours for a million, so those that
   * are due come first, then those that are due soon, and feeds that arrive meanwhile are started
   * too.
   */
  public void restartAll() {
    Instant now = parts.clock().instant();
    Instant from = Instant.MIN;
    for (Duration ahead : RESTARTED_TOGETHER) {
      Instant before = now.plus(ahead);
      restartAll(from, before);
      from = before;
    }
    restartAll(from, Instant.MAX);
  }

  private void restartAll(Instant from, Instant before) {
    Position position = Position.START;
    do {
      resumeFeeds();
      position = restart(from, before, position);
    } while (!position.equals(Position.START));
  }

  /** Starts the payments of feeds that were received and are not completely started. */
  public void resumeFeeds() {
    for (String feedId : store.startingFeeds(MAX_FEEDS)) {
      starts.startFeed(feedId, store.startedUntil(feedId));
    }
  }

  /** Starts a page of payments again. Returns where it ends, or the start after the last page. */
  private Position restart(Instant from, Instant before, Position after) {
    List<OpenPayment> open = store.open(from, before, after, PAGE);
    if (!open.isEmpty()) {
      List<PacedStart> started =
          starter.start(open.stream().map(entry -> starts.request(entry.payment())).toList());
      long lost = started.stream().filter(PacedStart.Started.class::isInstance).count();
      if (lost > 0) {
        parts.observer().restarted(lost);
        log.warn("{} payments had no running workflow and were started again", lost);
      }
      started.stream()
          .filter(PacedStart.NoSlot.class::isInstance)
          .map(PacedStart.NoSlot.class::cast)
          .findFirst()
          .ifPresent(
              none -> log.warn("Payments that are due have lost their slots: {}", none.reason()));
    }
    return open.size() < PAGE ? Position.START : open.getLast().position();
  }
}
