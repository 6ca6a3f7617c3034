package dev.weir.workflows.payments;

import dev.weir.engine.payments.FeedRecord;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.payments.PaymentStore;
import dev.weir.engine.payments.PaymentStore.Chunk;
import dev.weir.engine.payments.PaymentStore.FeedPayment;
import dev.weir.engine.payments.PaymentStore.SlotSpan;
import dev.weir.workflows.PacedBatch;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.SlotSource.PacedSlot;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityExecutionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Starts the payments of feeds, a chunk at a time: slots for the whole chunk in one call, then
 * their workflows. Whatever it has done before a crash, it finds done when it is repeated.
 * Thread-safe.
 */
final class FeedStart implements FeedActivities {
  /**
   * Slots are cheapest in batches of a thousand or more, and Temporal takes a hundred or two
   * hundred starts a second, so this is a chunk every few seconds: little is repeated after a
   * crash.
   */
  static final int CHUNK = 1_000;

  /** Workflows that are started between two heartbeats. */
  private static final int PORTION = 100;

  private final PaymentStore store;
  private final SlotSource slots;
  private final PacedStarter starter;
  private final PaymentStarts starts;
  private final PaymentObserver observer;

  FeedStart(
      PaymentStore store,
      SlotSource slots,
      PacedStarter starter,
      PaymentStarts starts,
      PaymentObserver observer) {
    this.store = store;
    this.slots = slots;
    this.starter = starter;
    this.starts = starts;
    this.observer = observer;
  }

  @Override
  public Progress startChunk(String feedId, long afterLine) {
    Optional<Chunk> next = store.chunk(feedId, afterLine, CHUNK);
    if (next.isEmpty()) {
      store.allStarted(feedId);
      return new Progress(afterLine, true);
    }
    Chunk chunk = next.get();
    if (!chunk.isStarted()) {
      start(feedId, chunk);
      store.started(feedId, afterLine);
    }
    return new Progress(chunk.lastLine(), false);
  }

  private void start(String feedId, Chunk chunk) {
    List<FeedPayment> payments = chunk.payments();
    PacedBatch batch =
        starter.assign(payments.stream().map(entry -> starts.request(entry.payment())).toList());
    recordSlots(feedId, chunk, batch.slots());
    freeSlotsOfCancelled(feedId, chunk);
    ActivityExecutionContext context = Activity.getExecutionContext();
    long startedUntil = context.getHeartbeatDetails(Long.class).orElse(chunk.afterLine());
    for (int from = 0; from < payments.size(); from += PORTION) {
      int until = Math.min(from + PORTION, payments.size());
      long lastLine = payments.get(until - 1).line();
      if (lastLine > startedUntil) {
        batch.start(from, until);
        observer.started(until - from);
        context.heartbeat(lastLine);
      }
    }
  }

  /** A payment that was cancelled before it got its slot could not free it. */
  private void freeSlotsOfCancelled(String feedId, Chunk chunk) {
    Set<String> scheduled =
        store.chunk(feedId, chunk.afterLine(), CHUNK).stream()
            .flatMap(known -> known.payments().stream())
            .map(entry -> entry.payment().paymentId())
            .collect(Collectors.toSet());
    for (FeedPayment entry : chunk.payments()) {
      String id = entry.payment().paymentId();
      if (!scheduled.contains(id)
          && store.find(id).filter(it -> it.state() == PaymentState.CANCELLED).isPresent()) {
        slots.cancel(id);
      }
    }
  }

  private void recordSlots(String feedId, Chunk chunk, List<PacedSlot> slots) {
    SlotSpan span = SlotSpan.NONE;
    List<FeedRecord.Rejected> withoutSlot = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      switch (slots.get(i)) {
        case PacedSlot.Assigned assigned -> span = span.and(assigned.scheduledTime());
        case PacedSlot.None none -> {
          Payment payment = chunk.payments().get(i).payment();
          withoutSlot.add(
              new FeedRecord.Rejected(
                  chunk.payments().get(i).line(),
                  none.reason(),
                  payment.paymentId(),
                  payment.toRecord()));
        }
      }
    }
    store.assigned(feedId, chunk, span, withoutSlot);
  }
}
