package dev.weir.payments;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Feeds, the payments that they contain, and what became of each payment.
 *
 * <p>Every method is one atomic step that may be repeated, and throws {@link
 * dev.weir.StoreException} if the store fails. Implementations are thread-safe.
 */
public interface PaymentStore {
  /** Max number of rejected records of a feed that is received. */
  int MAX_REJECTS = 100_000;

  /**
   * Opens a feed so that its records can be received. A reception that was not completed is
   * discarded, and its receiver can add nothing more.
   */
  Opening open(String feedId, String configName);

  /** The result of {@link #open}. */
  sealed interface Opening {
    /** The feed is empty; its records can be added. */
    record Opened(Reception reception) implements Opening {}

    /**
     * The feed was received earlier.
     *
     * @param digest that of its records
     */
    record Known(FeedStatus feed, String digest) implements Opening {}
  }

  /**
   * The reception of a feed.
   *
   * @param number tells this reception from one that was given up
   */
  record Reception(String feedId, long number) {}

  /**
   * Adds records, in the order of their lines. A payment that is known with the same content is
   * counted and skipped; with other content, its record is added as rejected. What becomes of a
   * payment that another feed contains whose reception is not completed, is decided when one of the
   * two is: that one may never be.
   *
   * @throws ReceptionLostException if the feed was opened again since
   * @throws TooManyRejectsException if the feed has more than {@link #MAX_REJECTS} rejected records
   */
  void add(Reception reception, List<FeedRecord> records);

  /**
   * Completes a reception, so that its payments may be started. A payment that several feeds
   * contain belongs to the first of them that is completed.
   *
   * @param digest tells its records from those of another feed
   * @throws ReceptionLostException if the feed was opened again since
   * @throws TooManyRejectsException if the feed has more than {@link #MAX_REJECTS} rejected records
   */
  FeedStatus complete(Reception reception, String digest);

  /**
   * Removes a feed whose reception is not completed, with all of its records.
   *
   * @throws ReceptionLostException if the feed was opened again since, or was removed
   */
  void remove(Reception reception);

  /**
   * Removes records of a feed whose reception has not been completed and got nothing for some time.
   * Its receiver can add nothing more. Removes a limited number.
   *
   * @return whether there may be more to remove
   */
  boolean discardGivenUp(Duration silence);

  Optional<FeedStatus> feed(String feedId);

  /**
   * Returns up to {@code max} feeds, the newest first.
   *
   * @param after the id of the last feed of the page before; empty for the first page
   */
  List<FeedStatus> feeds(String after, int max);

  /** Returns up to {@code max} feeds that are {@link FeedState#STARTING}. */
  List<String> startingFeeds(int max);

  /** Returns up to {@code max} rejected records after a line, in the order of their lines. */
  List<FeedRecord.Rejected> rejects(String feedId, long afterLine, int max);

  /**
   * Returns the payments of a feed after a line that are to be started together. A chunk that got
   * its slots earlier has the same lines again, with those of its payments that have not ended.
   * Empty after the last payment.
   *
   * @param max maximum number of payments
   */
  Optional<Chunk> chunk(String feedId, long afterLine, int max);

  /**
   * Adjacent payments of a feed.
   *
   * @param afterLine the line before the first of them
   * @param isStarted whether all of them are known to be handed to Temporal
   */
  record Chunk(long afterLine, long lastLine, boolean isStarted, List<FeedPayment> payments) {}

  /** A payment and the line of the feed that it came from. */
  record FeedPayment(long line, Payment payment) {}

  /**
   * Records the slots of a chunk, unless they are recorded.
   *
   * @param withoutSlot those of its payments that got none: they become rejected records, and the
   *     payments are unknown again
   * @throws IllegalStateException if they are recorded for a chunk that ends at another line; its
   *     payments have to be read again
   */
  void assigned(String feedId, Chunk chunk, SlotSpan slots, List<FeedRecord.Rejected> withoutSlot);

  /** The slots of a chunk: their number, and the earliest and the latest time. */
  record SlotSpan(int count, Instant first, Instant last) {
    public static final SlotSpan NONE = new SlotSpan(0, Instant.MAX, Instant.MIN);

    /** Returns these slots and one more. */
    public SlotSpan and(Instant scheduledTime) {
      return new SlotSpan(
          count + 1,
          scheduledTime.isBefore(first) ? scheduledTime : first,
          scheduledTime.isAfter(last) ? scheduledTime : last);
    }
  }

  /** Returns the ids of the payments of a chunk that are cancelled. */
  List<String> cancelled(String feedId, Chunk chunk);

  /** Records that all payments of a chunk were handed to Temporal. */
  void started(String feedId, long afterLine);

  /** Records that all chunks of a feed are started. */
  void allStarted(String feedId);

  /** Returns the line up to which all payments of a feed are known to be started. */
  long startedUntil(String feedId);

  /**
   * Returns up to {@code max} open payments of started chunks whose slots are within some time, in
   * the order of feeds and lines. A payment whose slot the store does not know goes by the last
   * slot of its chunk.
   *
   * @param from the first time
   * @param before the time after the last
   * @param isHeldIncluded whether payments are returned too that are held
   */
  List<OpenPayment> open(
      Instant from, Instant before, boolean isHeldIncluded, Position after, int max);

  /** Returns those whose slots were before a time, except those that are held. */
  default List<OpenPayment> overdue(Instant scheduledBefore, Position after, int max) {
    return open(Instant.MIN, scheduledBefore, false, after, max);
  }

  /** A place in the order of feeds and lines. */
  record Position(long feedNumber, long line) {
    public static final Position START = new Position(0, 0);
  }

  /** A payment that has not ended. */
  record OpenPayment(Position position, Payment payment) {}

  /** Records for feeds whose payments have all ended that they are done. */
  void closeFeeds();

  Optional<PaymentStatus> find(String paymentId);

  /**
   * Records that a payment runs, unless it has ended. Returns it, or the state in which it ended;
   * empty if it does not exist.
   */
  Optional<Beginning> begin(String paymentId);

  /** The result of {@link #begin}. */
  sealed interface Beginning {
    /**
     * The payment is to be made.
     *
     * @param now the time of the store, by which the times of calls are recorded
     */
    record Running(Payment payment, Instant now, PastCalls calls) implements Beginning {}

    record Ended(PaymentState state) implements Beginning {}
  }

  /**
   * The calls of a payment that were begun.
   *
   * @param first when the first of them was begun
   * @param inProgressUntil until when one may be in progress whose result is not recorded
   * @param unknown when the last one was begun that is no longer in progress and has no known
   *     result, or when it was noticed that the store may have lost one: the payment may have been
   *     made
   * @param lastDetail what is known about the result of the last one
   */
  record PastCalls(
      int count,
      Optional<Instant> first,
      Optional<Instant> inProgressUntil,
      Optional<Instant> unknown,
      String lastDetail) {
    public static final PastCalls NONE =
        new PastCalls(0, Optional.empty(), Optional.empty(), Optional.empty(), "");
  }

  /**
   * Records that a call is about to be sent, before it is. Whatever happens then, it is known that
   * the payment may have been made: the result of the call is unknown until {@link #attempted} or
   * {@link #ended} records it.
   *
   * @param knownCalls the number of calls of which the caller knows
   * @param maxCall how long the call may be in progress
   * @return when the call was begun, by the clock of the store; empty if it must not be sent,
   *     because the payment has ended or is held, or its feed is not complete, or another call was
   *     begun since the caller has looked, or the first one was begun {@code maxTime} ago
   */
  Optional<Instant> beginCall(String paymentId, int knownCalls, Duration maxCall, Duration maxTime);

  /** Removes the record of a call that was begun and not sent. */
  void withdrawCall(String paymentId, Instant calledAt);

  /** Records the result of a call after which the payment is still open. */
  void attempted(PaymentCall call);

  /**
   * Records the result of the last call of a payment, its end and its audit record. The first end
   * is kept.
   *
   * @param state {@link PaymentState#PAID} or {@link PaymentState#FAILED}
   * @return false if it had ended already
   */
  boolean ended(PaymentCall call, PaymentState state);

  /**
   * Records that a payment has no slot when it is due.
   *
   * @return since when: the time of the first such record
   */
  Instant withoutSlot(String paymentId, Instant now);

  /** Records that a payment that had no slot has one again. */
  void withSlot(String paymentId);

  /**
   * Records that a payment has failed without a further call. The first end is kept.
   *
   * @return false if it had ended already
   */
  boolean failed(String paymentId, Instant at, String reason);

  /**
   * Records that a payment has failed because no workflow could be started for it: it does not
   * count as started. The first end is kept.
   *
   * @return false if it had ended already
   */
  boolean notStarted(String paymentId, String reason);

  /** Returns the time of the store, which all nodes share. */
  Instant now();

  /** Returns when the first recorded call of a payment was begun. */
  Optional<Instant> firstCall(String paymentId);

  /**
   * Returns true if the result of a call of a payment is unknown, so that it may have been made.
   *
   * @param except when the call was begun that is not asked about
   */
  boolean hasUnknownCall(String paymentId, Instant except);

  /**
   * Returns up to {@code max} cancelled payments of feeds that are not done whose slots are still
   * taken, as far as the store knows the slots.
   */
  List<String> cancelledWithSlots(int max);

  /**
   * Cancels a payment that has not ended and of which no call is in progress. If the result of an
   * earlier call is unknown, the audit record says that it may have been made. Empty if it does not
   * exist.
   */
  Optional<Cancellation> cancel(String paymentId);

  /**
   * The result of {@link #cancel}.
   *
   * @param state the state of the payment after that
   * @param isNew false if nothing was changed, for example because it was cancelled earlier
   */
  record Cancellation(PaymentState state, boolean isNew) {}

  /**
   * Holds payments: from now on no call of one is begun, by any node, until they are resumed. A
   * call has begun when it is recorded, so the statement that records it checks the hold too.
   * Payments keep their states and slots. A payment that is held when its time comes needs no
   * workflow: {@link #overdue} does not return it, and returns it again when it is resumed.
   *
   * <p>The holds of single feeds and that of all feeds are independent of each other: a payment is
   * held if its feed is, or all are.
   *
   * @param actor who asks for it, for the record of the action
   * @return false if nothing was changed: they were held already, or there is no such feed
   */
  boolean hold(FeedScope scope, String actor);

  /**
   * Ends a hold.
   *
   * @param actor who asks for it, for the record of the action
   * @return false if there was none
   */
  boolean resume(FeedScope scope, String actor);

  /**
   * Cancels up to {@code max} payments, each as {@link #cancel(String)} does. Their slots are freed
   * later, by those who ask for {@link #cancelledWithSlots}.
   *
   * @param actor who asks for it, for the record of the action
   */
  Portion cancel(FeedScope scope, String actor, int max);

  /**
   * Opens up to {@code max} payments again that failed, as if they had not been called: the time
   * for which they are tried counts from now. One that is known to be made is left as it is.
   *
   * @param isForced whether payments are included that may have been made, because the result of a
   *     call is unknown, or calls may be lost with a state of the store
   * @param actor who asks for it, for the record of the action
   */
  Portion retry(FeedScope scope, boolean isForced, String actor, int max);

  /**
   * A portion of the payments that were to be changed.
   *
   * @param payments how many were changed
   * @param mayBeMore whether there may be others to change
   */
  record Portion(int payments, boolean mayBeMore) {}

  /** Returns payments in one state, in the order that the query names. */
  List<PaymentQuery.Found> list(PaymentQuery query);

  /**
   * Returns true if a payment is held, with its feed or with all feeds, or if its feed is not
   * complete: then it has a workflow only because the store was restored to an older state.
   */
  boolean isHeld(String paymentId);

  /** Returns true if all feeds are held. */
  boolean isAllHeld();

  /** Returns why Weir itself holds all feeds; empty if it does not. */
  String holdReason();

  /**
   * Holds all feeds if the store lacks the call whose result this object recorded last: it was
   * restored to an older state, and payments that it has as open may have been made. {@link
   * #beginCall} begins no call then, and does the same. Payments of feeds that came before have
   * {@link PastCalls#unknown} from then on.
   *
   * @return whether it was restored
   */
  boolean holdIfRestored();

  /**
   * Returns the number of calls of a feed's payments in each interval that has any, by the time at
   * which they were sent.
   *
   * @param intervalMicros length of an interval; intervals are aligned to the epoch
   */
  List<CallCount> calls(String feedId, long intervalMicros, int max);

  /** The number of calls in the interval that starts at a time. */
  record CallCount(Instant from, int calls) {}

  /** Returns the maximum number of calls of a feed's payments within any second. */
  int maxCallsInASecond(String feedId);

  /** Returns the number of calls of a feed's payments that the downstream found too many. */
  long callsTooMany(String feedId);
}
