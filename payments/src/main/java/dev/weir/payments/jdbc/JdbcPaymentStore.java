package dev.weir.payments.jdbc;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentQuery;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * Payments in PostgreSQL. They are kept forever, because a payment that is forgotten could be made
 * again. Thread-safe.
 */
public final class JdbcPaymentStore implements PaymentStore {
  private final FeedReception reception;
  private final FeedReads reads;
  private final FeedChunks chunks;
  private final PaymentEnds ends;
  private final PaymentStates states;
  private final CallCounts counts;
  private final PaymentHolds holds;
  private final PaymentHistory history;
  private final FeedActions actions;
  private final PaymentLists lists;

  /** Creates a store on a database whose tables exist. */
  public JdbcPaymentStore(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  /** Creates a store that decides by another clock than the database's, for tests. */
  public JdbcPaymentStore(DataSource database, StoreClock clock) {
    this(database, clock, MAX_REJECTS);
  }

  JdbcPaymentStore(DataSource database, StoreClock clock, int maxRejects) {
    Transactions transactions = new Transactions(Dialect.POSTGRESQL, database, () -> {});
    this.reception = new FeedReception(transactions, maxRejects);
    this.reads = new FeedReads(transactions);
    this.chunks = new FeedChunks(transactions);
    this.history = new PaymentHistory(transactions);
    this.ends = new PaymentEnds(transactions, clock, history);
    this.states = new PaymentStates(transactions);
    this.counts = new CallCounts(transactions);
    this.holds = new PaymentHolds(transactions);
    this.actions = new FeedActions(transactions, clock);
    this.lists = new PaymentLists(transactions);
  }

  /**
   * Returns a store on a data source, which should pool its connections. Creates or updates Weir's
   * tables in the default schema.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static JdbcPaymentStore on(DataSource database) {
    PostgresqlPool.migrate(database);
    return new JdbcPaymentStore(database);
  }

  @Override
  public Opening open(String feedId, String configName) {
    OptionalLong number = reception.open(feedId, configName);
    return number.isPresent()
        ? new Opening.Opened(new Reception(feedId, number.getAsLong()))
        : new Opening.Known(reads.status(feedId).orElseThrow(), reads.digest(feedId).orElseThrow());
  }

  @Override
  public void add(Reception feed, List<FeedRecord> records) {
    reception.add(feed, records);
  }

  @Override
  public FeedStatus complete(Reception feed, String digest) {
    reception.complete(feed, digest);
    return reads.status(feed.feedId()).orElseThrow();
  }

  @Override
  public void remove(Reception feed) {
    reception.remove(feed);
  }

  @Override
  public boolean discardGivenUp(Duration silence) {
    return reception.discardGivenUp(silence);
  }

  @Override
  public Optional<FeedStatus> feed(String feedId) {
    return reads.status(feedId);
  }

  @Override
  public List<FeedStatus> feeds(String after, int max) {
    return reads.list(after, max);
  }

  @Override
  public List<String> startingFeeds(int max) {
    return chunks.starting(max);
  }

  @Override
  public List<FeedRecord.Rejected> rejects(String feedId, long afterLine, int max) {
    return reads.rejects(feedId, afterLine, max);
  }

  @Override
  public Optional<Chunk> chunk(String feedId, long afterLine, int max) {
    return chunks.chunk(feedId, afterLine, max);
  }

  @Override
  public void assigned(
      String feedId, Chunk chunk, SlotSpan slots, List<FeedRecord.Rejected> withoutSlot) {
    chunks.assigned(feedId, chunk, slots, withoutSlot);
  }

  @Override
  public List<String> cancelled(String feedId, Chunk chunk) {
    return chunks.cancelled(feedId, chunk);
  }

  @Override
  public void started(String feedId, long afterLine) {
    chunks.started(feedId, afterLine);
  }

  @Override
  public void allStarted(String feedId) {
    chunks.allStarted(feedId);
  }

  @Override
  public long startedUntil(String feedId) {
    return chunks.startedUntil(feedId);
  }

  @Override
  public List<OpenPayment> open(
      Instant from, Instant before, boolean isHeldIncluded, Position after, int max) {
    return chunks.open(from, before, isHeldIncluded, after, max);
  }

  @Override
  public void closeFeeds() {
    chunks.closeFeeds();
  }

  @Override
  public Optional<PaymentStatus> find(String paymentId) {
    return states.find(paymentId);
  }

  @Override
  public Optional<Beginning> begin(String paymentId) {
    return ends.begin(paymentId);
  }

  @Override
  public Optional<Instant> beginCall(
      String paymentId, int knownCalls, Duration maxCall, Duration maxTime) {
    return ends.beginCall(paymentId, knownCalls, maxCall, maxTime);
  }

  @Override
  public void withdrawCall(String paymentId, Instant calledAt) {
    ends.withdrawCall(paymentId, calledAt);
  }

  @Override
  public void attempted(PaymentCall call) {
    ends.attempted(call);
  }

  @Override
  public boolean ended(PaymentCall call, PaymentState state) {
    return ends.ended(call, state);
  }

  @Override
  public Instant withoutSlot(String paymentId, Instant now) {
    return ends.withoutSlot(paymentId, now);
  }

  @Override
  public void withSlot(String paymentId) {
    ends.withSlot(paymentId);
  }

  @Override
  public boolean failed(String paymentId, Instant at, String reason) {
    return ends.failed(paymentId, at, reason);
  }

  @Override
  public boolean notStarted(String paymentId, String reason) {
    return ends.notStarted(paymentId, reason);
  }

  @Override
  public Instant now() {
    return ends.now();
  }

  @Override
  public Optional<Instant> firstCall(String paymentId) {
    return ends.firstCall(paymentId);
  }

  @Override
  public boolean hasUnknownCall(String paymentId, Instant except) {
    return ends.hasUnknownCall(paymentId, except);
  }

  @Override
  public List<String> cancelledWithSlots(int max) {
    return chunks.cancelledWithSlots(max);
  }

  @Override
  public Optional<Cancellation> cancel(String paymentId) {
    boolean unused = history.holdIfRestored();
    return ends.cancel(paymentId);
  }

  @Override
  public boolean hold(FeedScope scope, String actor) {
    return actions.hold(scope, actor);
  }

  @Override
  public boolean resume(FeedScope scope, String actor) {
    return actions.resume(scope, actor);
  }

  @Override
  public Portion cancel(FeedScope scope, String actor, int max) {
    boolean unused = history.holdIfRestored();
    return actions.cancel(scope, actor, max);
  }

  @Override
  public Portion retry(FeedScope scope, boolean isForced, String actor, int max) {
    return actions.retry(scope, isForced, actor, max);
  }

  @Override
  public List<PaymentQuery.Found> list(PaymentQuery query) {
    return lists.list(query);
  }

  @Override
  public boolean isHeld(String paymentId) {
    return holds.isHeld(paymentId);
  }

  @Override
  public boolean isAllHeld() {
    return holds.isAllHeld();
  }

  @Override
  public String holdReason() {
    return holds.reason();
  }

  @Override
  public boolean holdIfRestored() {
    return history.holdIfRestored();
  }

  @Override
  public List<CallCount> calls(String feedId, long intervalMicros, int max) {
    return counts.calls(feedId, intervalMicros, max);
  }

  @Override
  public int maxCallsInASecond(String feedId) {
    return counts.maxCallsInASecond(feedId);
  }

  @Override
  public long callsTooMany(String feedId) {
    return counts.callsTooMany(feedId);
  }
}
