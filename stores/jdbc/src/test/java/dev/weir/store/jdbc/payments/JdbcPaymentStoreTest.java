package dev.weir.store.jdbc.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.payments.FeedRecord;
import dev.weir.engine.payments.FeedScope;
import dev.weir.engine.payments.FeedState;
import dev.weir.engine.payments.FeedStatus;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentCall;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.payments.PaymentStatus;
import dev.weir.engine.payments.PaymentStore;
import dev.weir.engine.payments.PaymentStore.Beginning;
import dev.weir.engine.payments.PaymentStore.Cancellation;
import dev.weir.engine.payments.PaymentStore.Chunk;
import dev.weir.engine.payments.PaymentStore.FeedPayment;
import dev.weir.engine.payments.PaymentStore.OpenPayment;
import dev.weir.engine.payments.PaymentStore.Opening;
import dev.weir.engine.payments.PaymentStore.Position;
import dev.weir.engine.payments.PaymentStore.Reception;
import dev.weir.engine.payments.PaymentStore.SlotSpan;
import dev.weir.engine.payments.ReceptionLostException;
import dev.weir.internal.Micros;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.internal.Sql;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class JdbcPaymentStoreTest {
  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  private final String name = UUID.randomUUID().toString();
  private final PaymentStore store = new JdbcPaymentStore(Database.get().pool());
  private final PaymentStore otherNode = new JdbcPaymentStore(Database.get().otherPool());

  private Payment payment(int number) {
    return payment(number, "10.00");
  }

  private Payment payment(int number, String amount) {
    return new Payment(
        name + "/" + number,
        new BigDecimal(amount),
        "EUR",
        "from",
        "to",
        Optional.of(NOON),
        "ref",
        "bank");
  }

  private FeedRecord.Accepted record(long line, int number) {
    return new FeedRecord.Accepted(line, payment(number));
  }

  private Reception open(String feed) {
    return ((Opening.Opened) store.open(name + feed, "bank")).reception();
  }

  /** Receives a feed of payments with the given numbers, in lines from 2 on. */
  private String receive(String feed, int... numbers) {
    Reception reception = open(feed);
    List<FeedRecord> records = new ArrayList<>();
    for (int number : numbers) {
      records.add(record(records.size() + 2, number));
    }
    store.add(reception, records);
    store.complete(reception, "digest");
    return reception.feedId();
  }

  private static PaymentCall call(Payment payment, Instant at, PaymentCall.Result result) {
    return new PaymentCall(payment.paymentId(), at, at.plusMillis(20), result, "detail");
  }

  private Beginning.Running running(PaymentStore node, int number) {
    return (Beginning.Running) node.begin(payment(number).paymentId()).orElseThrow();
  }

  private FeedStatus status(String feedId) {
    return otherNode.feed(feedId).orElseThrow();
  }

  @Test
  void countsWhatWasReceived() {
    Reception reception = open("f");
    store.add(
        reception,
        List.of(
            record(2, 1),
            record(3, 1),
            new FeedRecord.Accepted(4, payment(1, "10.01")),
            new FeedRecord.Rejected(5, "currency is unknown", "", "a,b"),
            record(6, 2)));
    store.add(reception, List.of(record(7, 2), record(8, 3)));
    FeedStatus feed = store.complete(reception, "digest");
    assertThat(feed.state()).isEqualTo(FeedState.STARTING);
    assertThat(feed.read()).isEqualTo(7);
    assertThat(feed.repeated()).isEqualTo(2);
    assertThat(feed.rejected()).isEqualTo(2);
    assertThat(feed.paid()).isZero();
    assertThat(otherNode.rejects(reception.feedId(), 0, 10))
        .containsExactly(
            new FeedRecord.Rejected(
                4,
                "paymentId is that of another payment, with another amount",
                payment(1).paymentId(),
                payment(1, "10.01").toRecord()),
            new FeedRecord.Rejected(5, "currency is unknown", "", "a,b"));
    assertThat(otherNode.rejects(reception.feedId(), 4, 10)).hasSize(1);
    assertThat(store.startingFeeds(1_000)).contains(reception.feedId());
  }

  @Test
  void listsTheNewestFeedsFirst() {
    String first = receive("f", 1);
    String second = receive("g", 2);
    String third = receive("h", 3);
    assertThat(otherNode.feeds("", 2)).containsExactly(status(third), status(second));
    assertThat(otherNode.feeds(second, 1)).containsExactly(status(first));
    assertThat(otherNode.feeds(name + "unknown", 5)).isEmpty();
  }

  @Test
  void amountIsTheSameWithAnotherScale() {
    receive("f", 1);
    Reception second = open("g");
    store.add(second, List.of(new FeedRecord.Accepted(2, payment(1, "10"))));
    assertThat(store.complete(second, "digest").repeated()).isEqualTo(1);
  }

  @Test
  void receptionThatBreaksOffLeavesNothing() {
    Reception first = open("f");
    store.add(
        first, List.of(record(2, 1), new FeedRecord.Rejected(3, "reason", "", "x"), record(4, 2)));
    Reception second = open("f");
    assertThat(second.number()).isNotEqualTo(first.number());
    assertThatThrownBy(() -> store.add(first, List.of(record(5, 3))))
        .isInstanceOf(ReceptionLostException.class);
    assertThatThrownBy(() -> store.complete(first, "digest"))
        .isInstanceOf(ReceptionLostException.class);
    store.add(second, List.of(record(2, 2)));
    FeedStatus feed = store.complete(second, "digest");
    assertThat(feed.read()).isEqualTo(1);
    assertThat(feed.repeated()).isZero();
    assertThat(feed.rejected()).isZero();
    assertThat(store.find(payment(1).paymentId())).isEmpty();
    assertThat(store.rejects(second.feedId(), 0, 10)).isEmpty();
  }

  @Test
  void completedFeedIsKnown() {
    String feedId = receive("f", 1);
    assertThat(otherNode.open(feedId, "bank"))
        .isEqualTo(new Opening.Known(status(feedId), "digest"));
  }

  @Test
  void paymentOfAFeedThatIsNotCompleteSaysSo() {
    Reception reception = open("f");
    store.add(reception, List.of(record(2, 1)));
    PaymentStatus payment = otherNode.find(payment(1).paymentId()).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.SCHEDULED);
    assertThat(payment.reason()).startsWith("its feed is not complete");
    store.complete(reception, "digest");
    assertThat(otherNode.find(payment(1).paymentId()).orElseThrow().reason()).isEmpty();
  }

  /** Its feed would count as done with a payment that nobody looks for. */
  @Test
  void feedIsOpenIfItIsClosedWhileAPaymentOfItIsTriedAgain() throws Exception {
    String feedId = receive("f", 1);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.assigned(feedId, chunk, SlotSpan.NONE.and(NOON), List.of());
    store.started(feedId, 0);
    store.allStarted(feedId);
    String id = payment(1).paymentId();
    store.begin(id);
    assertThat(store.failed(id, NOON, "no slot")).isTrue();
    try (Connection other = Database.get().pool().getConnection();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      other.setAutoCommit(false);
      Future<PaymentStore.Portion> retried;
      try (PreparedStatement lock =
          other.prepareStatement("select from payment where payment_id = ? for update")) {
        lock.setString(1, id);
        lock.execute();
        retried = threads.submit(() -> store.retry(new FeedScope.One(feedId), false, "ann", 10));
        awaitWaiting(other);
        otherNode.closeFeeds();
        assertThat(status(feedId).state()).isEqualTo(FeedState.DONE);
      } finally {
        other.rollback();
      }
      assertThat(retried.get().payments()).isOne();
    }
    assertThat(status(feedId).state()).isEqualTo(FeedState.STARTED);
    otherNode.closeFeeds();
    assertThat(status(feedId).state()).isEqualTo(FeedState.STARTED);
  }

  /** Waits until a statement waits for a lock of a transaction. */
  private static void awaitWaiting(Connection connection) throws SQLException {
    String waiting =
        "select count(*) from pg_locks l"
            + " where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))";
    int count = 0;
    while (count == 0) {
      try (PreparedStatement statement = connection.prepareStatement(waiting);
          ResultSet row = statement.executeQuery()) {
        row.next();
        count = row.getInt(1);
      }
    }
  }

  @Test
  void paymentThatHasNoSlotRemembersSinceWhen() {
    receive("f", 1);
    String id = payment(1).paymentId();
    store.begin(id);
    assertThat(store.withoutSlot(id, NOON)).isEqualTo(NOON);
    assertThat(otherNode.withoutSlot(id, NOON.plusSeconds(60))).isEqualTo(NOON);
    assertThat(store.failed(id, NOON.plusSeconds(90), "no slot")).isTrue();
    assertThat(otherNode.failed(id, NOON.plusSeconds(95), "again")).isFalse();
    PaymentStatus payment = otherNode.find(id).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
    assertThat(payment.reason()).isEqualTo("no slot");
    assertThat(payment.endedAt()).contains(NOON.plusSeconds(90));
    assertThat(payment.attempts()).isZero();
  }

  @Test
  void firstCallIsTheEarliest() {
    receive("f", 1);
    String id = payment(1).paymentId();
    assertThat(store.firstCall(id)).isEmpty();
    store.attempted(call(payment(1), NOON.plusSeconds(5), PaymentCall.Result.RETRY));
    store.attempted(call(payment(1), NOON, PaymentCall.Result.UNKNOWN));
    assertThat(otherNode.firstCall(id)).contains(NOON);
  }

  @Test
  void nothingIsStartedBeforeAllIsReceived() {
    Reception reception = open("f");
    store.add(reception, List.of(record(2, 1)));
    assertThat(store.chunk(reception.feedId(), 0, 10)).isEmpty();
    assertThat(store.startingFeeds(1_000)).doesNotContain(reception.feedId());
    assertThat(store.cancel(payment(1).paymentId()))
        .contains(new Cancellation(PaymentState.SCHEDULED, false));
    store.complete(reception, "digest");
    assertThat(store.chunk(reception.feedId(), 0, 10)).isPresent();
  }

  @Test
  void chunkKeepsItsLinesAfterACrash() {
    String feedId = receive("f", 1, 2, 3, 4, 5);
    Chunk first = store.chunk(feedId, 0, 3).orElseThrow();
    assertThat(first)
        .isEqualTo(
            new Chunk(
                0,
                4,
                false,
                List.of(
                    new FeedPayment(2, payment(1)),
                    new FeedPayment(3, payment(2)),
                    new FeedPayment(4, payment(3)))));
    store.assigned(feedId, first, SlotSpan.NONE.and(NOON).and(NOON.plusSeconds(2)), List.of());
    store.begin(payment(2).paymentId());
    assertThat(store.startedUntil(feedId)).isZero();
    assertThat(otherNode.chunk(feedId, 0, 3).orElseThrow())
        .as("one that runs may have lost its workflow as well")
        .isEqualTo(first);
    store.ended(call(payment(2), NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    assertThat(status(feedId).started()).as("what has ended was started").isEqualTo(1);
    assertThat(otherNode.chunk(feedId, 0, 3).orElseThrow())
        .isEqualTo(
            new Chunk(
                0,
                4,
                false,
                List.of(new FeedPayment(2, payment(1)), new FeedPayment(4, payment(3)))));
    store.assigned(feedId, first, SlotSpan.NONE.and(NOON.minusSeconds(9)), List.of());
    store.started(feedId, 0);
    assertThat(store.startedUntil(feedId)).isEqualTo(4);
    FeedStatus feed = status(feedId);
    assertThat(feed.assigned()).isEqualTo(2);
    assertThat(feed.started()).isEqualTo(2);
    assertThat(feed.firstScheduled()).contains(NOON);
    assertThat(feed.lastScheduled()).contains(NOON.plusSeconds(2));
    assertThat(store.chunk(feedId, 4, 3).orElseThrow().payments()).hasSize(2);
    assertThat(store.chunk(feedId, 6, 3)).isEmpty();
  }

  @Test
  void chunkThatAnotherWorkerHasRecordedWithOtherLinesIsRefused() {
    String feedId = receive("f", 1, 2, 3);
    Chunk early = store.chunk(feedId, 0, 2).orElseThrow();
    store.cancel(payment(1).paymentId());
    Chunk late = otherNode.chunk(feedId, 0, 2).orElseThrow();
    otherNode.assigned(feedId, late, SlotSpan.NONE.and(NOON), List.of());
    assertThatThrownBy(() -> store.assigned(feedId, early, SlotSpan.NONE.and(NOON), List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("ends at line 4, not 3");
    assertThat(store.chunk(feedId, 0, 2)).contains(late);
  }

  @Test
  void cancelledPaymentsOfAChunkAreKnown() {
    String feedId = receive("f", 1, 2, 3, 4);
    Chunk chunk = store.chunk(feedId, 0, 3).orElseThrow();
    assertThat(store.cancelled(feedId, chunk)).isEmpty();
    store.cancel(payment(2).paymentId());
    store.cancel(payment(4).paymentId());
    assertThat(store.cancelled(feedId, chunk)).containsExactly(payment(2).paymentId());
  }

  @Test
  void paymentWithoutASlotIsRejected() {
    String feedId = receive("f", 1, 2);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    FeedRecord.Rejected rejected =
        new FeedRecord.Rejected(3, "no slot", payment(2).paymentId(), payment(2).toRecord());
    store.assigned(feedId, chunk, SlotSpan.NONE.and(NOON), List.of(rejected));
    store.assigned(feedId, chunk, SlotSpan.NONE.and(NOON), List.of(rejected));
    assertThat(store.rejects(feedId, 0, 10)).containsExactly(rejected);
    PaymentStatus payment = store.find(payment(2).paymentId()).orElseThrow();
    assertThat(payment.state()).isEqualTo(PaymentState.REJECTED);
    assertThat(payment.reason()).isEqualTo("no slot");
    assertThat(store.begin(payment(2).paymentId())).isEmpty();
    FeedStatus feed = status(feedId);
    assertThat(feed.read()).isEqualTo(2);
    assertThat(feed.rejected()).isEqualTo(1);
    assertThat(feed.paid()).isZero();
  }

  @Test
  void paymentWithoutASlotMayBeSentAgain() {
    String feedId = receive("f", 1, 2, 3);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.cancel(payment(3).paymentId());
    store.assigned(
        feedId,
        chunk,
        SlotSpan.NONE.and(NOON),
        List.of(
            new FeedRecord.Rejected(3, "no slot", payment(2).paymentId(), "x"),
            new FeedRecord.Rejected(4, "no slot", payment(3).paymentId(), "x")));
    FeedStatus first = status(feedId);
    assertThat(first.rejected()).isEqualTo(1);
    assertThat(first.cancelled()).as("a payment that was cancelled stays so").isEqualTo(1);
    assertThat(first.paid()).isZero();
    String again = receive("g", 1, 2, 3);
    assertThat(status(again).repeated()).isEqualTo(2);
    assertThat(store.chunk(again, 0, 10).orElseThrow().payments())
        .extracting(FeedPayment::payment)
        .containsExactly(payment(2));
    assertThat(store.find(payment(2).paymentId()).orElseThrow().feedId()).isEqualTo(again);
    assertThat(status(feedId)).isEqualTo(first);
  }

  @Test
  void recordsCallsUntilThePaymentEndsAndKeepsTheFirstEnd() {
    String feedId = receive("f", 1);
    String id = payment(1).paymentId();
    assertThat(running(store, 1).payment()).isEqualTo(payment(1));
    assertThat(running(store, 1).calls()).isEqualTo(PaymentStore.PastCalls.NONE);
    PaymentCall retried = call(payment(1), NOON, PaymentCall.Result.RETRY);
    store.attempted(retried);
    store.attempted(retried);
    assertThat(running(otherNode, 1).calls())
        .isEqualTo(
            new PaymentStore.PastCalls(
                1, Optional.of(NOON), Optional.empty(), Optional.empty(), "detail"));
    PaymentCall paid = call(payment(1), NOON.plusMillis(500), PaymentCall.Result.PAID);
    assertThat(store.ended(paid, PaymentState.PAID)).isTrue();
    assertThat(store.ended(paid, PaymentState.PAID)).as("again").isFalse();
    store.ended(
        call(payment(1), NOON.plusSeconds(3), PaymentCall.Result.REJECTED), PaymentState.FAILED);
    assertThat(otherNode.find(id))
        .contains(
            new PaymentStatus(
                id, feedId, PaymentState.PAID, 2, Optional.of(paid.answeredAt()), "detail"));
    assertThat(store.begin(id)).contains(new Beginning.Ended(PaymentState.PAID));
    assertThat(status(feedId).paid()).isEqualTo(1);
    assertThat(store.calls(feedId, 1_000_000, 10))
        .containsExactly(
            new PaymentStore.CallCount(NOON, 2),
            new PaymentStore.CallCount(NOON.plusSeconds(3), 1));
    assertThat(store.maxCallsInASecond(feedId)).isEqualTo(2);
  }

  @Test
  void countsCallsInSlidingSeconds() {
    String feedId = receive("f", 1, 2, 3);
    store.attempted(call(payment(1), NOON.plusMillis(900), PaymentCall.Result.RETRY));
    store.attempted(call(payment(2), NOON.plusMillis(1_100), PaymentCall.Result.RETRY));
    store.attempted(call(payment(3), NOON.plusMillis(1_900), PaymentCall.Result.RETRY));
    assertThat(store.maxCallsInASecond(feedId))
        .as("calls exactly a second apart do not share one")
        .isEqualTo(2);
    assertThat(store.maxCallsInASecond("unknown")).isZero();
    assertThat(store.callsTooMany(feedId)).isZero();
    store.attempted(call(payment(3), NOON.plusSeconds(5), PaymentCall.Result.TOO_MANY));
    assertThat(store.callsTooMany(feedId)).isEqualTo(1);
  }

  @Test
  void knowsPaymentsThatMayHaveBeenMade() {
    receive("f", 1, 2);
    store.attempted(call(payment(1), NOON, PaymentCall.Result.RETRY));
    store.attempted(call(payment(2), NOON, PaymentCall.Result.UNKNOWN));
    store.attempted(call(payment(2), NOON.plusSeconds(1), PaymentCall.Result.RETRY));
    assertThat(store.hasUnknownCall(payment(1).paymentId(), Instant.EPOCH)).isFalse();
    assertThat(store.hasUnknownCall(payment(2).paymentId(), Instant.EPOCH)).isTrue();
    assertThat(store.hasUnknownCall(payment(2).paymentId(), NOON)).as("another one").isFalse();
  }

  @Test
  void cancelsOnlyWhatIsNotBeingCalled() {
    String feedId = receive("f", 1, 2);
    store.begin(payment(1).paymentId());
    store.beginCall(payment(1).paymentId(), 0, Duration.ofHours(1), Duration.ofDays(1));
    assertThat(store.cancel(payment(1).paymentId()))
        .contains(new Cancellation(PaymentState.RUNNING, false));
    assertThat(store.cancel(payment(2).paymentId()))
        .contains(new Cancellation(PaymentState.CANCELLED, true));
    assertThat(store.cancel(payment(2).paymentId()))
        .as("again")
        .contains(new Cancellation(PaymentState.CANCELLED, false));
    assertThat(store.begin(payment(2).paymentId()))
        .contains(new Beginning.Ended(PaymentState.CANCELLED));
    assertThat(store.cancel(name + "/unknown")).isEmpty();
    assertThat(store.begin(name + "/unknown")).isEmpty();
    assertThat(status(feedId).cancelled()).isEqualTo(1);
  }

  @Test
  void oneOfCancelAndCallWins() throws Exception {
    int payments = 60;
    int[] numbers = new int[payments];
    for (int i = 0; i < payments; i++) {
      numbers[i] = i;
    }
    receive("f", numbers);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < payments; i++) {
        String id = payment(i).paymentId();
        store.begin(id);
        CountDownLatch ready = new CountDownLatch(2);
        Future<Optional<Cancellation>> cancelled =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return store.cancel(id);
                });
        Future<Optional<Instant>> begun =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return otherNode.beginCall(id, 0, Duration.ofHours(1), Duration.ofDays(1));
                });
        boolean isCancelled = cancelled.get().orElseThrow().isNew();
        assertThat(begun.get().isPresent()).isEqualTo(!isCancelled);
      }
    }
  }

  /** Half of the payments are in their retries. */
  @Test
  void oneOfCancelWithItsFeedAndCallWins() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 120; i++) {
        FeedScope feed = new FeedScope.One(receive("f" + i, i));
        String id = payment(i).paymentId();
        int calls = i % 2;
        store.begin(id);
        if (calls > 0) {
          Instant begun = store.beginCall(id, 0, HOUR, DAY).orElseThrow();
          store.attempted(new PaymentCall(id, begun, begun, PaymentCall.Result.RETRY, "busy"));
        }
        CountDownLatch ready = new CountDownLatch(2);
        Future<PaymentStore.Portion> cancelled =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return store.cancel(feed, "ann", 10);
                });
        Future<Optional<Instant>> begun =
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  return otherNode.beginCall(id, calls, HOUR, DAY);
                });
        assertThat(begun.get().isPresent()).isEqualTo(cancelled.get().payments() == 0);
      }
    }
  }

  @Test
  void feedIsCancelledInPortionsAlsoBehindCallsInProgress() {
    String feedId = receive("f", IntStream.range(0, 9).toArray());
    for (int i = 0; i < 4; i++) {
      store.begin(payment(i).paymentId());
      store.beginCall(payment(i).paymentId(), 0, HOUR, DAY);
    }
    FeedScope feed = new FeedScope.One(feedId);
    assertThat(store.cancel(feed, "ann", 3)).isEqualTo(new PaymentStore.Portion(3, true));
    assertThat(store.cancel(feed, "ann", 3)).isEqualTo(new PaymentStore.Portion(2, false));
    assertThat(status(feedId).cancelled()).isEqualTo(5);
  }

  @Test
  void findsPaymentsThatShouldHaveEnded() {
    String feedId = receive("f", 1, 2, 3, 4);
    Chunk first = store.chunk(feedId, 0, 2).orElseThrow();
    store.assigned(feedId, first, SlotSpan.NONE.and(NOON).and(NOON.plusSeconds(1)), List.of());
    assertThat(overdue(NOON.plusSeconds(9))).as("not started yet").isEmpty();
    store.started(feedId, 0);
    Chunk second = store.chunk(feedId, 3, 2).orElseThrow();
    store.assigned(feedId, second, SlotSpan.NONE.and(NOON.plusSeconds(5)), List.of());
    store.started(feedId, 3);
    store.allStarted(feedId);
    assertThat(overdue(NOON.plusSeconds(1))).isEmpty();
    assertThat(overdue(NOON.plusSeconds(2))).containsExactly(payment(1), payment(2));
    assertThat(overdue(Instant.MAX)).hasSize(4);
    store.ended(call(payment(1), NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    assertThat(overdue(NOON.plusSeconds(2))).containsExactly(payment(2));
    for (int i = 2; i <= 4; i++) {
      store.ended(call(payment(i), NOON, PaymentCall.Result.PAID), PaymentState.PAID);
    }
    store.closeFeeds();
    assertThat(status(feedId).state()).isEqualTo(FeedState.DONE);
  }

  @Test
  void overduePaymentsGoByTheirOwnSlots() throws SQLException {
    String feedId = receive("f", 1, 2);
    Chunk chunk = store.chunk(feedId, 0, 10).orElseThrow();
    store.assigned(feedId, chunk, SlotSpan.NONE.and(NOON).and(NOON.plusSeconds(3_600)), List.of());
    store.started(feedId, 0);
    addSlot(payment(1), NOON);
    addSlot(payment(2), NOON.plusSeconds(3_600));
    assertThat(overdue(NOON)).isEmpty();
    assertThat(overdue(NOON.plusSeconds(1))).containsExactly(payment(1));
    assertThat(overdue(NOON.plusSeconds(3_601))).containsExactly(payment(1), payment(2));
    removeSlots();
  }

  private static void removeSlots() throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      Sql.update(connection, "delete from slot where config_id = -1");
    }
  }

  private static void addSlot(Payment payment, Instant at) throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      Sql.update(
          connection,
          "insert into slot (requested, window_start, scheduled, assigned_at, config_id, version,"
              + " place, state, event_id) values (0, 0, ?, 0, -1, 1, 0, 0, ?)",
          Micros.ceil(at),
          payment.paymentId());
    }
  }

  /** Reads page by page, one payment each. Other tests have payments in the same tables. */
  private List<Payment> overdue(Instant before) {
    List<Payment> found = new ArrayList<>();
    Position position = Position.START;
    List<OpenPayment> page = store.overdue(before, position, 1);
    while (!page.isEmpty()) {
      if (page.getFirst().payment().paymentId().startsWith(name)) {
        found.add(page.getFirst().payment());
      }
      page = store.overdue(before, page.getFirst().position(), 1);
    }
    return found;
  }
}
