package dev.weir.payments.workflows;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Chunk;
import dev.weir.payments.PaymentStore.FeedPayment;
import dev.weir.payments.PaymentStore.SlotSpan;
import dev.weir.workflows.PacedBatch;
import dev.weir.workflows.PacedStart;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.SlotSource;
import dev.weir.workflows.SlotSource.PacedSlot;
import dev.weir.workflows.internal.Tasks;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityExecutionContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Starts the payments of feeds, a chunk at a time: slots for the whole chunk in one call, then
 * their workflows. The next chunk gets its slots while the workflows of the present one are
 * started, and the one after it is read meanwhile, so three of them are in memory. Whatever it has
 * done before a crash, it finds done when it is repeated. Thread-safe.
 */
final class FeedStart implements FeedActivities {
  /** Workflows that are started between two heartbeats. */
  private static final int PORTION = 100;

  /** After this, no other chunk is begun: Temporal limits the time of an activity. */
  private static final Duration ENOUGH = Duration.ofMinutes(1);

  private final PaymentStore store;
  private final SlotSource slots;
  private final PacedStarter starter;
  private final PaymentStarts starts;
  private final PaymentObserver observer;
  private final FeedSizes sizes;

  FeedStart(
      PaymentStore store,
      SlotSource slots,
      PacedStarter starter,
      PaymentStarts starts,
      PaymentObserver observer,
      FeedSizes sizes) {
    this.store = store;
    this.slots = slots;
    this.starter = starter;
    this.starts = starts;
    this.observer = observer;
    this.sizes = sizes;
  }

  /**
   * A chunk that can be started.
   *
   * @param batch its slots; empty if it was started earlier
   * @param next the chunk after it, which is being read
   */
  private record Ready(Chunk chunk, Optional<PacedBatch> batch, Future<Optional<Chunk>> next) {}

  @Override
  public Progress startChunk(String feedId, long afterLine) {
    ActivityExecutionContext context = Activity.getExecutionContext();
    long startedUntil = context.getHeartbeatDetails(Long.class).orElse(afterLine);
    long endNanos = System.nanoTime() + ENOUGH.toNanos();
    long line = afterLine;
    // Closing it waits for what is done ahead, also after a failure: when Temporal repeats the
    // activity, nothing of this one goes on.
    try (ExecutorService ahead = Executors.newVirtualThreadPerTaskExecutor()) {
      Optional<Ready> ready = prepare(feedId, read(feedId, afterLine, ahead), ahead);
      for (int chunks = 1; ready.isPresent(); chunks++) {
        Ready present = ready.get();
        line = present.chunk().lastLine();
        if (chunks == sizes.chunksTogether() || System.nanoTime() - endNanos >= 0) {
          start(feedId, present, startedUntil, context);
          return new Progress(line, false);
        }
        Future<Optional<Ready>> following =
            ahead.submit(() -> prepare(feedId, present.next(), ahead));
        start(feedId, present, startedUntil, context);
        ready = Tasks.result(following);
      }
    }
    store.allStarted(feedId);
    return new Progress(line, true);
  }

  private Future<Optional<Chunk>> read(String feedId, long afterLine, ExecutorService ahead) {
    return ahead.submit(() -> store.chunk(feedId, afterLine, sizes.chunk()));
  }

  /**
   * Gets the slots of a chunk and records them, while the chunk after it is read. Empty after the
   * last one.
   */
  private Optional<Ready> prepare(
      String feedId, Future<Optional<Chunk>> read, ExecutorService ahead) {
    Optional<Chunk> chunk = Tasks.result(read);
    if (chunk.isEmpty()) {
      return Optional.empty();
    }
    Chunk present = chunk.get();
    Future<Optional<Chunk>> next = read(feedId, present.lastLine(), ahead);
    Optional<PacedBatch> batch =
        present.isStarted() ? Optional.empty() : Optional.of(assign(feedId, present));
    return Optional.of(new Ready(present, batch, next));
  }

  private PacedBatch assign(String feedId, Chunk chunk) {
    PacedBatch batch =
        starter.assign(
            chunk.payments().stream().map(entry -> starts.request(entry.payment())).toList());
    recordSlots(feedId, chunk, batch.slots());
    freeSlotsOfCancelled(feedId, chunk);
    return batch;
  }

  /** A payment that was cancelled before it got its slot could not free it. */
  private void freeSlotsOfCancelled(String feedId, Chunk chunk) {
    Set<String> cancelled = Set.copyOf(store.cancelled(feedId, chunk));
    if (!cancelled.isEmpty()) {
      chunk.payments().stream()
          .map(entry -> entry.payment().paymentId())
          .filter(cancelled::contains)
          .forEach(slots::cancel);
    }
  }

  /**
   * Starts the workflows of a chunk.
   *
   * @param startedUntil the line up to which an earlier execution of the activity has started them
   */
  private void start(
      String feedId, Ready ready, long startedUntil, ActivityExecutionContext context) {
    if (ready.batch().isEmpty()) {
      return;
    }
    PacedBatch batch = ready.batch().get();
    List<FeedPayment> payments = ready.chunk().payments();
    for (int from = 0; from < payments.size(); from += PORTION) {
      int until = Math.min(from + PORTION, payments.size());
      long lastLine = payments.get(until - 1).line();
      if (lastLine > startedUntil) {
        observer.started(start(batch, payments, from, until));
        context.heartbeat(lastLine);
      }
    }
    store.started(feedId, ready.chunk().afterLine());
  }

  /** Starts a portion of the workflows. Returns how many are started, now or earlier. */
  private int start(PacedBatch batch, List<FeedPayment> payments, int from, int until) {
    List<PacedStart> results = batch.start(from, until);
    int started = 0;
    for (int i = 0; i < results.size(); i++) {
      switch (results.get(i)) {
        case PacedStart.Started now -> started++;
        case PacedStart.AlreadyStarted earlier -> started++;
        case PacedStart.NoSlot none -> {
          // It is among the rejected records.
        }
        case PacedStart.IdTaken taken ->
            PaymentStarts.refuse(store, payments.get(from + i).payment(), taken);
      }
    }
    return started;
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
