package dev.weir.payments.jdbc;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.Beginning;
import dev.weir.payments.PaymentStore.Opening;
import dev.weir.payments.PaymentStore.Reception;
import dev.weir.store.jdbc.Database;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Feeds that two nodes receive, with ids of their own. */
final class Feeds {
  static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private final String name = UUID.randomUUID().toString();
  private final PaymentStore store = new JdbcPaymentStore(Database.get().pool());
  private final PaymentStore otherNode = new JdbcPaymentStore(Database.get().otherPool());

  /** Begins the ids of all payments and feeds, because other tests have theirs in the tables. */
  String name() {
    return name;
  }

  PaymentStore store() {
    return store;
  }

  PaymentStore otherNode() {
    return otherNode;
  }

  Payment payment(int number) {
    return payment(number, "10.00");
  }

  Payment payment(int number, String amount) {
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

  FeedRecord.Accepted record(long line, int number) {
    return new FeedRecord.Accepted(line, payment(number));
  }

  Reception open(String feed) {
    return ((Opening.Opened) store.open(name + feed, "bank")).reception();
  }

  /** Receives a feed of payments with the given numbers, in lines from 2 on. */
  String receive(String feed, int... numbers) {
    Reception reception = open(feed);
    List<FeedRecord> records = new ArrayList<>();
    for (int number : numbers) {
      records.add(record(records.size() + 2, number));
    }
    store.add(reception, records);
    store.complete(reception, "digest");
    return reception.feedId();
  }

  static PaymentCall call(Payment payment, Instant at, PaymentCall.Result result) {
    return new PaymentCall(payment.paymentId(), at, at.plusMillis(20), result, "detail");
  }

  Beginning.Running running(PaymentStore node, int number) {
    return (Beginning.Running) node.begin(payment(number).paymentId()).orElseThrow();
  }

  FeedStatus status(String feedId) {
    return otherNode.feed(feedId).orElseThrow();
  }
}
