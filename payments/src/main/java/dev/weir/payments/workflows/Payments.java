package dev.weir.payments.workflows;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.workflows.SlotSource;
import io.temporal.client.WorkflowClient;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Receives feeds of payments and starts them, and answers what became of them. Thread-safe; callers
 * block and may be virtual threads.
 */
public final class Payments {
  private final PaymentStore store;
  private final SlotSource slots;
  private final PaymentStarts starts;
  private final FeedReceiver receiver;

  public Payments(WorkflowClient client, PaymentParts parts) {
    this(client, parts, FeedSizes.DEFAULT);
  }

  Payments(WorkflowClient client, PaymentParts parts, FeedSizes sizes) {
    this.store = parts.store();
    this.slots = parts.slots();
    this.starts = new PaymentStarts(client, parts.taskQueue());
    this.receiver = new FeedReceiver(store, sizes);
  }

  /**
   * Receives a feed and starts its payments. Nothing is paid before all records are stored, so a
   * feed that breaks off has no effect and may be sent again under its id. A feed that was received
   * earlier is read only to find out whether it is the same.
   *
   * @param feedId 1 to {@link FeedReceiver#MAX_FEED_ID_LENGTH} characters
   * @param configName slot configuration of payments that name none
   * @param records the records in the order of their lines; what it throws is thrown
   * @throws dev.weir.payments.ReceptionLostException if the feed is received again meanwhile
   * @throws dev.weir.payments.OtherFeedException if a feed with other records was received under
   *     its id
   */
  public FeedStatus receive(String feedId, String configName, Iterator<FeedRecord> records) {
    FeedStatus feed = receiver.receive(feedId, configName, records).feed();
    if (feed.state() == FeedState.STARTING) {
      start(feedId);
    }
    return feed;
  }

  private void start(String feedId) {
    starts.startFeed(feedId, store.startedUntil(feedId));
  }

  public Optional<FeedStatus> feed(String feedId) {
    return store.feed(feedId);
  }

  /** Returns up to {@code max} rejected records of a feed after a line. */
  public List<FeedRecord.Rejected> rejects(String feedId, long afterLine, int max) {
    return store.rejects(feedId, afterLine, max);
  }

  public Optional<PaymentStatus> find(String paymentId) {
    return store.find(paymentId);
  }

  /**
   * Cancels a payment that has not run, and frees its slot.
   *
   * @return empty if it does not exist
   */
  public Optional<Cancellation> cancel(String paymentId) {
    Optional<Cancellation> cancellation = cancel(store, slots, paymentId);
    if (isCancelled(cancellation)) {
      starts.terminate(paymentId);
    }
    return cancellation;
  }

  /**
   * Does the same without Temporal, for example while it cannot be reached: the workflow ends at
   * the time of its slot.
   */
  public static Optional<Cancellation> cancel(
      PaymentStore store, SlotSource slots, String paymentId) {
    Optional<Cancellation> cancellation = store.cancel(paymentId);
    if (isCancelled(cancellation)) {
      // If this is interrupted, the workflow does it at the time of the slot.
      slots.cancel(paymentId);
    }
    return cancellation;
  }

  /** One that was cancelled earlier counts too: what follows may have been interrupted. */
  private static boolean isCancelled(Optional<Cancellation> cancellation) {
    return cancellation.filter(it -> it.state() == PaymentState.CANCELLED).isPresent();
  }
}
