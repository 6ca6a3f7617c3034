package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.jdbc.JdbcPaymentStore;
import dev.weir.payments.workflows.PaymentActivities.Kind;
import dev.weir.payments.workflows.PaymentActivities.Step;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import dev.weir.store.tck.internal.Await;
import dev.weir.workflows.SlotSource;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A database that is replaced by a backup of it under a node that makes payments. What was paid
 * since the backup is open again, and nothing says that it was called.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RestoredPaymentsTest {
  private static final String CONFIG = "bank";

  private static final SlotSource NO_SLOTS =
      new SlotSource() {
        @Override
        public List<PacedSlot> assign(List<SlotRequest> requests) {
          return requests.stream().<PacedSlot>map(it -> new PacedSlot.None("it is full")).toList();
        }

        @Override
        public Optional<Instant> confirm(String eventId) {
          return Optional.empty();
        }

        @Override
        public void cancel(String eventId) {}
      };

  private HikariDataSource pool;
  private SlotScheduler scheduler;
  private PaymentStore store;
  private final Bank bank = new Bank();

  /** Makes every payment as often as it is asked to, as one that has forgotten the ids. */
  private static final class Bank implements Downstream {
    final List<String> made = new CopyOnWriteArrayList<>();
    final List<String> lookedUp = new CopyOnWriteArrayList<>();
    volatile boolean hasLookUp;

    @Override
    public Answer pay(Payment payment) {
      made.add(payment.paymentId());
      return new Answer.Paid("made");
    }

    @Override
    public boolean hasLookUp() {
      return hasLookUp;
    }

    @Override
    public LookUp lookUp(Payment payment) {
      lookedUp.add(payment.paymentId());
      return made.contains(payment.paymentId()) ? new LookUp.Made("found") : new LookUp.NotKnown();
    }

    @Override
    public Duration maxCallTime() {
      return Duration.ofSeconds(10);
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() {
    pool = TestDatabase.open(4);
    scheduler =
        SlotScheduler.on(
            SlotStore.of(
                new JdbcSlotLedger(pool, StoreClock.DATABASE, new Random(1), SlotObserver.NONE),
                new JdbcSlotConfigs(pool, StoreClock.DATABASE),
                new JdbcSlotUpkeep(pool, StoreClock.DATABASE),
                () -> {}));
    scheduler.configure(CONFIG, SlotPolicy.of(1000, Duration.ofSeconds(1)));
    store = new JdbcPaymentStore(pool);
  }

  @AfterEach
  void end() {
    scheduler.close();
    pool.close();
  }

  @Test
  void whatWasPaidSinceTheBackupIsNotCalledBeforeItIsResumed() {
    receive("f", 0, 3);
    backUp();
    payAll(0, 3);
    assertThat(bank.made).hasSize(3);

    restore();

    payAll(0, 3);
    assertThat(bank.made).as("calls").hasSize(3);
    assertThat(store.isAllHeld()).isTrue();
    assertThat(store.holdReason()).contains("restored to an older state");
    assertThat(store.feed("f").orElseThrow().heldReason()).isEqualTo(store.holdReason());

    store.resume(new FeedScope.All(), "operator");
    payAll(0, 3);
    assertThat(bank.made).as("calls after the operator has resumed").hasSize(6);
  }

  @Test
  void lookUpIsAskedBeforeTheFirstCallThatIsKnown() {
    bank.hasLookUp = true;
    receive("f", 0, 3);
    backUp();
    payAll(0, 2);
    assertThat(bank.lookedUp).isEmpty();

    restore();

    payAll(0, 3);
    store.resume(new FeedScope.All(), "operator");
    payAll(0, 3);
    assertThat(bank.made).as("the third one was not made").containsExactly("p0", "p1", "p2");
    assertThat(bank.lookedUp).containsExactly("p0", "p1", "p2");
    assertThat(IntStream.range(0, 3).mapToObj(i -> store.find("p" + i).orElseThrow()))
        .extracting(PaymentStatus::state)
        .containsOnly(PaymentState.PAID);

    aWeekPasses();
    receive("later", 3, 4);
    payAll(3, 4);
    assertThat(bank.lookedUp).as("of a feed that came later, nothing is lost").hasSize(3);
  }

  /** The restored database has no trace of the feed. */
  @Test
  void feedThatWasLostAndIsSentAgainIsLookedUp() {
    bank.hasLookUp = true;
    receive("before", 0, 1);
    backUp();
    receive("lost", 1, 3);
    payAll(0, 2);

    restore();

    assertThat(store.holdIfRestored()).isTrue();
    store.resume(new FeedScope.All(), "operator");
    receive("sent-again", 1, 3);
    payAll(1, 3);
    assertThat(bank.made).containsExactly("p0", "p1", "p2");
    assertThat(bank.lookedUp).containsExactly("p1", "p2");
    assertThat(store.calls("sent-again", 1, 10))
        .as("each look-up and call at its own time")
        .allSatisfy(calls -> assertThat(calls.calls()).isOne());
  }

  @Test
  void whatFailedBeforeTheRestoreIsTriedAgainOnlyByForce() {
    receive("f", 0, 2);
    assertThat(store.begin("p0")).isPresent();
    assertThat(store.failed("p0", Instant.EPOCH, "no slot")).isTrue();
    backUp();
    assertThat(store.retry(new FeedScope.One("f"), false, "operator", 10).payments()).isOne();
    payAll(0, 1);
    assertThat(bank.made).containsExactly("p0");

    restore();

    assertThat(store.holdIfRestored()).isTrue();
    store.resume(new FeedScope.All(), "operator");
    assertThat(store.retry(new FeedScope.One("f"), false, "operator", 10).payments()).isZero();
    assertThat(store.retry(new FeedScope.All(), false, "operator", 10).payments()).isZero();
    bank.hasLookUp = true;
    assertThat(store.retry(new FeedScope.One("f"), true, "operator", 10).payments()).isOne();
    payAll(0, 1);
    assertThat(bank.made).as("it was looked up").containsExactly("p0");
  }

  /** The workflows of its payments run on in Temporal, which is not restored. */
  @Test
  void feedThatIsIncompleteAgainIsNotCalledBeforeItIsReceived() {
    bank.hasLookUp = true;
    PaymentStore.Reception reception = open("f");
    add(reception, 0, 3);
    backUp();
    store.complete(reception, "digest");
    payAll(0, 1);
    Instant underWay = begin("p1");

    restore();

    assertThat(store.holdIfRestored()).isTrue();
    store.resume(new FeedScope.All(), "operator");
    assertThat(execution(SlotSource.of(scheduler)).pay("p2")).isEqualTo(Step.ENDED);
    assertThat(store.begin("p2")).isPresent();
    assertThat(store.beginCall("p2", 0, Duration.ofSeconds(10), Duration.ofHours(1))).isEmpty();
    store.attempted(new PaymentCall("p1", underWay, underWay, PaymentCall.Result.UNKNOWN, "lost"));

    receive("f", 0, 3);
    assertThat(store.find("p1")).map(PaymentStatus::attempts).contains(1);
    assertThat(store.feed("f")).map(FeedStatus::repeated).contains(0L);
    payAll(0, 3);
    assertThat(bank.made).containsExactly("p0", "p1", "p2");
    assertThat(bank.lookedUp).containsExactly("p0", "p1", "p2");
    assertThat(store.feed("f")).map(FeedStatus::paid).contains(3L);
  }

  /** The result of a call is recorded in the feed that holds the payment. */
  @Test
  void paymentThatIsPaidInAnIncompleteFeedIsNoOtherFeeds() {
    PaymentStore.Reception reception = open("f");
    add(reception, 0, 2);
    backUp();
    store.complete(reception, "digest");
    Instant p0 = begin("p0");
    Instant p1 = begin("p1");

    restore();

    assertThat(
            store.ended(
                new PaymentCall("p0", p0, p0, PaymentCall.Result.PAID, ""), PaymentState.PAID))
        .isTrue();
    store.attempted(new PaymentCall("p1", p1, p1, PaymentCall.Result.UNKNOWN, "lost"));
    PaymentStore.Reception other = open("g");
    add(other, 0, 2);
    FeedStatus complete = store.complete(other, "digest");
    assertThat(complete.repeated()).isOne();
    assertThat(store.find("p0")).map(PaymentStatus::state).contains(PaymentState.PAID);
    assertThat(store.find("p1")).map(PaymentStatus::feedId).contains("g");
    assertThat(store.find("p1")).map(PaymentStatus::attempts).contains(1);
  }

  private void aWeekPasses() {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "update payment_restore set noticed_at = noticed_at - 7 * 24 * 3600 * 1000000::bigint");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void resultThatIsRecordedAfterTheRestoreHidesNothing() {
    receive("f", 0, 3);
    Instant late = begin("p2");
    backUp();
    payAll(0, 1);

    restore();

    assertThat(
            store.ended(
                new PaymentCall("p2", late, late, PaymentCall.Result.PAID, ""), PaymentState.PAID))
        .isTrue();
    payAll(0, 2);
    assertThat(bank.made).containsExactly("p0");
    assertThat(store.isAllHeld()).isTrue();
  }

  @Test
  void nodeThatCallsNothingNotices() {
    receive("f", 0, 2);
    payAll(0, 1);
    backUp();
    assertThat(store.holdIfRestored()).as("nothing is lost by a restart").isFalse();
    payAll(1, 2);
    restore();

    assertThat(store.holdIfRestored()).isTrue();
    assertThat(store.holdReason()).isNotEmpty();
    assertThat(store.holdIfRestored()).as("it is held already").isFalse();
    assertThat(store.resume(new FeedScope.All(), "operator")).isTrue();
    assertThat(store.holdReason()).isEmpty();
  }

  @Test
  void cancelledAfterARestoreMayHaveBeenMade() {
    receive("f", 0, 2);
    backUp();
    payAll(0, 1);
    restore();

    assertThat(store.cancel("p0")).isPresent();

    assertThat(store.find("p0").orElseThrow().reason())
        .isEqualTo("cancelled, and may have been made");
  }

  @Test
  void cancelledWithItsFeedAfterARestoreMayHaveBeenMade() {
    receive("f", 0, 2);
    backUp();
    payAll(0, 1);
    restore();

    assertThat(store.cancel(new FeedScope.One("f"), "operator", 10).payments()).isEqualTo(2);

    assertThat(store.find("p0").orElseThrow().reason())
        .isEqualTo("cancelled with its feed, and may have been made");
  }

  /** Its slot may be lost with its call. */
  @Test
  void givenUpWithoutASlotAfterARestoreMayHaveBeenMade() {
    receive("f", 0, 1);
    backUp();
    payAll(0, 1);
    restore();
    assertThat(store.holdIfRestored()).isTrue();
    store.resume(new FeedScope.All(), "operator");
    Instant longAgo = store.now().minus(Duration.ofDays(1));
    assertThat(store.withoutSlot("p0", longAgo)).isEqualTo(longAgo);

    assertThat(execution(NO_SLOTS).pay("p0").kind()).isEqualTo(Kind.ENDED);

    assertThat(store.find("p0").orElseThrow().reason())
        .startsWith("given up without a call that is known, and may have been made: it lost");
  }

  /** Otherwise it would fail as one that was certainly not made. */
  @Test
  void nothingFailsBeforeTheRestoreIsNoticed() {
    receive("f", 0, 3);
    Instant calledAt = begin("p2");
    backUp();
    payAll(0, 1);
    restore();

    assertThatThrownBy(() -> store.failed("p0", Instant.EPOCH, "given up"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("restored to an older state");
    assertThat(store.isAllHeld()).isTrue();
    assertThat(store.failed("p0", Instant.EPOCH, "given up, and may have been made")).isTrue();

    assertThat(store.resume(new FeedScope.All(), "operator")).isTrue();
    payAll(1, 2);
    restore();
    PaymentCall rejected =
        new PaymentCall("p2", calledAt, calledAt, PaymentCall.Result.REJECTED, "no");
    assertThatThrownBy(() -> store.ended(rejected, PaymentState.FAILED))
        .isInstanceOf(StoreException.class);
    assertThat(store.ended(rejected, PaymentState.FAILED)).isTrue();
  }

  /** Begins a call. */
  private Instant begin(String paymentId) {
    assertThat(store.begin(paymentId)).isPresent();
    return store.beginCall(paymentId, 0, Duration.ofSeconds(10), Duration.ofHours(1)).orElseThrow();
  }

  private void receive(String feed, int from, int to) {
    PaymentStore.Reception reception = open(feed);
    add(reception, from, to);
    store.complete(reception, "digest");
  }

  private PaymentStore.Reception open(String feed) {
    return ((PaymentStore.Opening.Opened) store.open(feed, CONFIG)).reception();
  }

  private void add(PaymentStore.Reception reception, int from, int to) {
    store.add(
        reception,
        IntStream.range(from, to)
            .<FeedRecord>mapToObj(i -> new FeedRecord.Accepted(i + 2, payment(i)))
            .toList());
  }

  private static Payment payment(int number) {
    return new Payment(
        "p" + number, BigDecimal.TEN, "EUR", "from", "to", Optional.empty(), "", CONFIG);
  }

  private PaymentExecution execution(SlotSource slots) {
    return new PaymentExecution(
        new PaymentParts(
            store,
            slots,
            new LeaseCeiling(
                new JdbcLeaseStore(pool),
                "bank",
                100,
                new LeaseCeiling.Times(
                    bank.maxCallTime(), Duration.ofSeconds(1), Duration.ofMinutes(15))),
            CallGate.OPEN,
            bank,
            Attempts.within(Duration.ofHours(1)),
            "queue",
            InstantSource.system()));
  }

  /** Does what the workflows of payments do. */
  private void payAll(int from, int to) {
    PaymentExecution execution = execution(SlotSource.of(scheduler));
    for (int i = from; i < to; i++) {
      while (execution.pay("p" + i).kind() != Kind.ENDED) {
        Await.pause();
      }
    }
  }

  private void backUp() {
    TestDatabase.backUp(pool);
    awaitDatabase();
  }

  private void restore() {
    TestDatabase.restore(pool);
    awaitDatabase();
  }

  /** Returns when the node's pool has noticed that the database is back. */
  private void awaitDatabase() {
    Instant unused = Await.answer(store::now);
  }
}
