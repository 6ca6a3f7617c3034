package dev.weir.payments.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.payments.ReceptionLostException;
import dev.weir.payments.TooManyRejectsException;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Feeds that are not received to their end. */
final class FeedReceptionTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final String name = UUID.randomUUID().toString();
  private final PaymentStore store = new JdbcPaymentStore(Database.get().pool());

  private Reception open(PaymentStore on, String feed) {
    return ((Opening.Opened) on.open(name + feed, "bank")).reception();
  }

  private FeedRecord record(long line, int number, String amount) {
    return new FeedRecord.Accepted(
        line,
        new Payment(
            name + "/" + number,
            new BigDecimal(amount),
            "EUR",
            "from",
            "to",
            Optional.empty(),
            "",
            "bank"));
  }

  private static FeedRecord rejected(long line) {
    return new FeedRecord.Rejected(line, "amount is missing", "", "x");
  }

  @Test
  void repeatedRecordsAreFoundAmongNewOnes() {
    Reception earlier = open(store, "e");
    store.add(earlier, List.of(record(2, 7, "1.00")));
    store.complete(earlier, "digest");
    Reception reception = open(store, "f");
    store.add(reception, List.of(record(2, 1, "1.00"), record(3, 2, "1.00"), rejected(4)));
    store.add(
        reception,
        List.of(
            record(5, 3, "1.00"),
            record(6, 1, "1.0"),
            record(7, 2, "2.00"),
            record(8, 4, "1.00"),
            record(9, 4, "1.00"),
            record(10, 7, "1.00")));
    store.add(reception, List.of(record(11, 5, "1.00"), record(12, 3, "1.00")));
    store.add(reception, List.of(record(13, 6, "1.00")));
    FeedStatus completed = store.complete(reception, "digest");
    assertThat(completed.read()).isEqualTo(12);
    assertThat(completed.repeated()).isEqualTo(4);
    assertThat(completed.rejected()).isEqualTo(2);
    assertThat(store.rejects(reception.feedId(), 0, 10))
        .extracting(FeedRecord.Rejected::line)
        .containsExactly(4L, 7L);
    assertThat(store.chunk(reception.feedId(), 0, 100).orElseThrow().payments())
        .extracting(PaymentStore.FeedPayment::line)
        .containsExactly(2L, 3L, 5L, 8L, 11L, 13L);
  }

  @Test
  void paymentsAreStoredAsTheyAre() {
    List<String> amounts =
        List.of("0.01", "1", "10000", "10000.00", "12.50", "123456789012345.678", "0.0001");
    List<FeedRecord> records = new ArrayList<>();
    for (int i = 0; i < amounts.size(); i++) {
      records.add(
          new FeedRecord.Accepted(
              i + 2,
              new Payment(
                  name + "/" + i,
                  new BigDecimal(amounts.get(i)),
                  "EUR",
                  "from\\N",
                  "to\t",
                  i % 2 == 0
                      ? Optional.empty()
                      : Optional.of(Instant.parse("1930-06-01T12:00:00Z")),
                  "Müller – 支付 \uD83D\uDCB6",
                  "bank")));
    }
    Reception reception = open(store, "f");
    store.add(reception, records);
    store.complete(reception, "digest");
    for (FeedRecord record : records) {
      Payment payment = ((FeedRecord.Accepted) record).payment();
      assertThat(store.begin(payment.paymentId()))
          .get()
          .extracting(begun -> ((PaymentStore.Beginning.Running) begun).payment())
          .isEqualTo(payment);
    }
  }

  @Test
  void feedWithTooManyRejectsIsRefused() {
    PaymentStore strict = new JdbcPaymentStore(Database.get().pool(), StoreClock.DATABASE, 3);
    Reception reception = open(strict, "f");
    strict.add(reception, List.of(rejected(2), rejected(3)));
    strict.add(reception, List.of(rejected(4), record(5, 1, "1.00")));
    assertThatThrownBy(() -> strict.add(reception, List.of(rejected(6))))
        .isInstanceOf(TooManyRejectsException.class)
        .hasMessage("more than 3 of its records are rejected");
    assertThat(strict.rejects(reception.feedId(), 0, 10)).hasSize(3);
  }

  @Test
  void contradictionsFoundAtTheEndCountAsRejectsToo() {
    PaymentStore strict = new JdbcPaymentStore(Database.get().pool(), StoreClock.DATABASE, 1);
    Reception first = open(strict, "f");
    strict.add(first, List.of(record(2, 1, "1.00"), record(3, 2, "1.00")));
    Reception second = open(strict, "g");
    strict.add(second, List.of(record(2, 1, "2.00"), record(3, 2, "2.00")));
    strict.complete(first, "digest");
    assertThatThrownBy(() -> strict.complete(second, "digest"))
        .isInstanceOf(TooManyRejectsException.class);
    assertThat(strict.feed(second.feedId()).orElseThrow().state()).isEqualTo(FeedState.RECEIVING);
  }

  @Test
  void recordsOfAReceptionThatWasGivenUpAreRemoved() throws SQLException {
    Reception kept = open(store, "f");
    store.add(kept, List.of(record(2, 1, "1.00"), rejected(3)));
    Reception givenUp = open(store, "g");
    store.add(givenUp, List.of(record(2, 2, "1.00"), record(3, 1, "1.00"), rejected(4)));
    makeOld(givenUp);
    while (store.discardGivenUp(HOUR)) {
      // Until there is no other.
    }
    FeedStatus removed = store.feed(givenUp.feedId()).orElseThrow();
    assertThat(removed.read() + removed.rejected() + removed.repeated()).isZero();
    assertThat(store.find(name + "/2")).isEmpty();
    assertThat(store.rejects(givenUp.feedId(), 0, 10)).isEmpty();
    assertThat(claims(givenUp)).isZero();
    assertThatThrownBy(() -> store.add(givenUp, List.of(record(5, 3, "1.00"))))
        .isInstanceOf(ReceptionLostException.class);
    assertThat(store.complete(kept, "digest").read()).isEqualTo(2);
    assertThat(store.rejects(kept.feedId(), 0, 10)).hasSize(1);
    Reception again = open(store, "g");
    store.add(again, List.of(record(2, 2, "1.00")));
    assertThat(store.complete(again, "digest").read()).isEqualTo(1);
  }

  @Test
  void feedThatIsRemovedIsUnknownAndItsReceiverCanAddNothing() {
    Reception removed = open(store, "f");
    store.add(removed, List.of(record(2, 1, "1.00"), rejected(3)));
    store.remove(removed);
    assertThat(store.feed(removed.feedId())).isEmpty();
    assertThat(store.find(name + "/1")).isEmpty();
    assertThat(store.rejects(removed.feedId(), 0, 10)).isEmpty();
    Reception again = open(store, "f");
    assertThatThrownBy(() -> store.add(removed, List.of(record(2, 1, "1.00"))))
        .isInstanceOf(ReceptionLostException.class);
    assertThatThrownBy(() -> store.remove(removed)).isInstanceOf(ReceptionLostException.class);
    store.add(again, List.of(record(2, 1, "2.00")));
    assertThat(store.complete(again, "digest").read()).isEqualTo(1);
  }

  @Test
  void holdOfAFeedThatIsRemovedIsForWhenItIsSentAgain() {
    Reception removed = open(store, "f");
    store.add(removed, List.of(record(2, 1, "1.00"), rejected(3)));
    FeedScope feed = new FeedScope.One(removed.feedId());
    assertThat(store.hold(feed, "ann")).isTrue();
    store.remove(removed);
    FeedStatus empty = store.feed(removed.feedId()).orElseThrow();
    assertThat(empty.read() + empty.rejected()).isZero();
    assertThat(store.find(name + "/1")).isEmpty();
    assertThatThrownBy(() -> store.add(removed, List.of(record(2, 1, "1.00"))))
        .isInstanceOf(ReceptionLostException.class);

    Reception again = open(store, "f");
    store.add(again, List.of(record(2, 1, "2.00")));
    assertThat(store.complete(again, "digest").isHeld()).isTrue();
    assertThat(store.resume(feed, "ann")).isTrue();
    assertThat(store.feed(again.feedId()).orElseThrow().isHeld()).isFalse();
  }

  private static void makeOld(Reception reception) throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      Sql.update(
          connection,
          "update payment_feed set received_at = received_at - ? where feed_id = ?",
          2 * HOUR.toNanos() / 1_000,
          reception.feedId());
    }
  }

  private static long claims(Reception reception) throws SQLException {
    try (Connection connection = Database.get().pool().getConnection()) {
      return Sql.first(
              connection,
              row -> row.getLong(1),
              "select count(*) from payment_claim c join payment_feed f using (feed_no)"
                  + " where f.feed_id = ?",
              reception.feedId())
          .orElseThrow();
    }
  }
}
