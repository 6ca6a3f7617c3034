package dev.weir.torture.payments;

import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What callers, the payment API and the table of calls say about the payments of a round. */
final class PaymentFacts {
  private static final String RECORDED =
      "select payment_id, called_at from payment_call where payment_id like ? order by called_at";

  /** Whether nodes ask the payment API by key. */
  boolean hasLookUps;

  private final Map<String, Payment> payments = new TreeMap<>();
  private final Map<String, Sent> feeds = new LinkedHashMap<>();

  /** A payment. */
  static final class Payment {
    final String id;

    /** The feeds that contain it. */
    final List<Sent> feeds = new ArrayList<>();

    /** Looks at it, in the order in which they ended; the last is from the end of the round. */
    final List<Exchange> looks = new ArrayList<>();

    final List<Exchange> cancels = new ArrayList<>();

    /** As the payment API has got them, in the order of their arrival. */
    final List<Exchange> calls = new ArrayList<>();

    /** Questions by its key, as the payment API has got them. */
    final List<Exchange> lookUps = new ArrayList<>();

    /** When each call was recorded, in microseconds of the database's clock. */
    final List<Long> recordedMicros = new ArrayList<>();

    boolean isBooked;

    Payment(String id) {
      this.id = id;
    }

    /** The last look at it. */
    Exchange end() {
      return looks.getLast();
    }

    /** Returns true if it was, or may have been, tried again after it had failed. */
    boolean mayBeRetried() {
      return feeds.stream().anyMatch(feed -> !feed.retries.isEmpty());
    }

    /** Returns true if it was, or may have been, cancelled at any time. */
    boolean mayBeCancelled() {
      return !cancels.isEmpty() || feeds.stream().anyMatch(feed -> !feed.cancels.isEmpty());
    }
  }

  /** A feed. */
  static final class Sent {
    final String id;
    final List<Exchange> sends = new ArrayList<>();
    final List<Exchange> progress = new ArrayList<>();
    final List<Exchange> holds = new ArrayList<>();
    final List<Exchange> resumes = new ArrayList<>();
    final List<Exchange> retries = new ArrayList<>();
    final List<Exchange> cancels = new ArrayList<>();

    Sent(String id) {
      this.id = id;
    }

    /** Returns true if it differs from what it was said to have. */
    boolean isWrong() {
      return sends.stream().anyMatch(send -> send.kind().equals(PaymentLoad.SEND_WRONG));
    }

    boolean isReceived() {
      return !isWrong() && sends.stream().anyMatch(Exchange::isDone);
    }

    /** Returns true if it was received, or may have been. */
    boolean mayBeReceived() {
      return !isWrong() && sends.stream().anyMatch(send -> send.isDone() || send.isUnknown());
    }
  }

  static PaymentFacts of(Round round) throws SQLException {
    PaymentFacts facts = new PaymentFacts();
    round.history().exchanges().forEach(facts::add);
    for (Exchange call : round.stage().paymentApi().calls()) {
      if (call.subject().startsWith(round.name() + "-")) {
        facts.payment(call.subject()).calls.add(call);
      }
    }
    for (Exchange lookUp : round.stage().paymentApi().lookUps()) {
      if (lookUp.subject().startsWith(round.name() + "-")) {
        facts.payment(lookUp.subject()).lookUps.add(lookUp);
      }
    }
    facts.hasLookUps = round.stage().looksUpPayments();
    for (Payment payment : facts.payments()) {
      payment.isBooked = round.stage().paymentApi().isBooked(payment.id);
    }
    try (Connection connection = round.stage().database().connect();
        PreparedStatement statement = connection.prepareStatement(RECORDED)) {
      statement.setString(1, round.name() + "-%");
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          facts.payment(row.getString(1)).recordedMicros.add(row.getLong(2));
        }
      }
    }
    return facts;
  }

  void add(Exchange exchange) {
    String subject = exchange.subject();
    switch (exchange.kind()) {
      case PaymentLoad.SEND, PaymentLoad.SEND_WRONG -> {
        Sent feed = feed(subject);
        feed.sends.add(exchange);
        if (feed.sends.size() == 1) {
          idsIn(exchange.request()).forEach(id -> payment(id).feeds.add(feed));
        }
      }
      case PaymentLoad.PROGRESS -> feed(subject).progress.add(exchange);
      case PaymentLoad.HOLD -> feed(subject).holds.add(exchange);
      case PaymentLoad.RESUME -> feed(subject).resumes.add(exchange);
      case PaymentLoad.RETRY -> feed(subject).retries.add(exchange);
      case PaymentLoad.CANCEL_FEED -> feed(subject).cancels.add(exchange);
      case PaymentLoad.CANCEL -> payment(subject).cancels.add(exchange);
      case PaymentLoad.LOOK -> payment(subject).looks.add(exchange);
      default -> {}
    }
  }

  private static Stream<String> idsIn(String csv) {
    return csv.lines().skip(1).map(line -> line.substring(0, line.indexOf(',')));
  }

  Payment payment(String id) {
    return payments.computeIfAbsent(id, Payment::new);
  }

  Sent feed(String id) {
    return feeds.computeIfAbsent(id, Sent::new);
  }

  Collection<Payment> payments() {
    return payments.values();
  }

  Collection<Sent> feeds() {
    return feeds.values();
  }

  /** A moment of the caller's clock, in microseconds since the epoch. */
  static long micros(Exchange exchange, long nanos) {
    Instant at = exchange.beganAt().plusNanos(nanos - exchange.beginNanos());
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }
}
