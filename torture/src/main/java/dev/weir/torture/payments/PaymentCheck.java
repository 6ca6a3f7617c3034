package dev.weir.torture.payments;

import dev.weir.torture.capability.Check;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Round;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Json;
import dev.weir.torture.payments.PaymentFacts.Payment;
import dev.weir.torture.payments.PaymentFacts.Sent;
import dev.weir.torture.stage.CalledProgram;
import dev.weir.torture.stage.Node;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks P1 to P7. */
final class PaymentCheck implements Check {
  /** How exact the clock of the database is for the caller. */
  private static final long CLOCK_MICROS = 50_000;

  /** A second, because the clock of Temporal may be ahead. */
  private static final long MAX_EARLY_MICROS = 1_000_000 + CLOCK_MICROS;

  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

  /** In the reason of a payment that did not end as paid. */
  private static final List<String> MADE_PERHAPS = List.of("may have been made", "it is made");

  private static final int NOT_FOUND = 404;
  private static final int FIRST_SERVER_ERROR = 500;
  private static final Set<String> ENDED = Set.of("PAID", "FAILED", "CANCELLED");

  private final Round round;

  PaymentCheck(Round round) {
    this.round = round;
  }

  @Override
  public void check(Findings findings) throws SQLException {
    PaymentFacts facts = PaymentFacts.of(round);
    check(facts, findings);
    facts.payments().forEach(payment -> payment.calls.forEach(round.history()::add));
    List<Exchange> arrived = new ArrayList<>(round.stage().paymentApi().calls());
    arrived.addAll(round.stage().paymentApi().lookUps());
    arrived.sort(Comparator.comparingLong(Exchange::beginNanos));
    ceiling(arrived, findings);
  }

  static void check(PaymentFacts facts, Findings findings) {
    facts.feeds().forEach(feed -> received(feed, findings));
    facts.payments().forEach(payment -> check(payment, findings));
    if (facts.hasLookUps) {
      facts.payments().forEach(payment -> lookedUp(payment, findings));
    }
    facts.feeds().forEach(feed -> held(feed, facts, findings));
  }

  private static void received(Sent feed, Findings findings) {
    if (feed.isWrong()) {
      findings.looked(Promise.P4, 1);
      feed.sends.stream()
          .filter(Exchange::isDone)
          .forEach(
              send ->
                  findings.broken(
                      Promise.P4,
                      feed.id + " was received, although it differs from its controlSum",
                      List.of(send)));
      return;
    }
    findings.looked(Promise.P1, 1);
    Optional<Exchange> last =
        feed.progress.isEmpty() ? Optional.empty() : Optional.of(feed.progress.getLast());
    boolean isDone =
        last.filter(Exchange::isDone)
            .map(Exchange::fields)
            .map(answer -> answer.text("state"))
            .filter("DONE"::equals)
            .isPresent();
    if (feed.isReceived() && !isDone) {
      List<Exchange> witness = new ArrayList<>();
      feed.sends.stream().filter(Exchange::isDone).findFirst().ifPresent(witness::add);
      last.ifPresent(witness::add);
      findings.broken(
          Promise.P1, feed.id + " was received, and not all of its payments have ended", witness);
    }
  }

  private static void check(Payment payment, Findings findings) {
    if (payment.feeds.isEmpty()) {
      findings.broken(Promise.P4, payment.id + " is in no feed, and is called", payment.calls);
      return;
    }
    known(payment, findings);
    truth(payment, findings);
    recorded(payment, findings);
    notBeforeItsSlot(payment, findings);
    notAfterItsEnd(payment, findings);
    notTooLate(payment, findings);
  }

  /**
   * Each call that says nothing, but the last one, is followed by a question that finds nothing. A
   * call that is given up may arrive later than that, so they are only counted.
   */
  private static void lookedUp(Payment payment, Findings findings) {
    findings.looked(Promise.P7, payment.calls.size());
    long unknown =
        payment.calls.stream()
            .filter(
                call ->
                    call.status() == CalledProgram.NO_ANSWER || call.status() >= FIRST_SERVER_ERROR)
            .count();
    long notKnown = payment.lookUps.stream().filter(lookUp -> lookUp.status() == NOT_FOUND).count();
    if (notKnown < unknown - 1) {
      broken(
          Promise.P7,
          payment,
          "was called %d times without a result, and asked for %d times"
              .formatted(unknown, notKnown),
          findings);
    }
  }

  private static String state(Exchange look) {
    return look.isDone() ? look.fields().text("state") : "";
  }

  private static String reason(Exchange look) {
    return look.isDone() ? look.fields().find("reason").orElse("") : "";
  }

  private static boolean isPerhapsMade(Exchange look) {
    return MADE_PERHAPS.stream().anyMatch(reason(look)::contains);
  }

  private static void known(Payment payment, Findings findings) {
    findings.looked(Promise.P1, 1);
    boolean isReceived = payment.feeds.stream().anyMatch(Sent::isReceived);
    if (isReceived && !ENDED.contains(state(payment.end()))) {
      findings.broken(
          Promise.P1,
          payment.id + " belongs to a feed that was received, and has not ended",
          List.of(payment.end()));
    }
  }

  /** What is said of a payment agrees with what the payment API has booked. */
  private static void truth(Payment payment, Findings findings) {
    findings.looked(Promise.P2, 1);
    String state = state(payment.end());
    if (state.equals("PAID") && !payment.isBooked) {
      broken(Promise.P2, payment, "is said to be paid, and is not booked", findings);
    }
    if (payment.isBooked && !state.equals("PAID") && !isPerhapsMade(payment.end())) {
      broken(Promise.P2, payment, "is booked, and is said not to be made", findings);
    }
  }

  private static void recorded(Payment payment, Findings findings) {
    findings.looked(Promise.P4, 1);
    if (payment.calls.size() > payment.recordedMicros.size()) {
      broken(
          Promise.P4,
          payment,
          "was called %d times, of which %d are recorded"
              .formatted(payment.calls.size(), payment.recordedMicros.size()),
          findings);
    }
    if (!payment.calls.isEmpty() && payment.feeds.stream().noneMatch(Sent::mayBeReceived)) {
      broken(Promise.P4, payment, "was called, and no feed of it was received", findings);
    }
    for (Exchange call : payment.calls) {
      if (!Json.read(call.request()).text("amount").equals(Feed.amount(payment.id))) {
        broken(Promise.P4, payment, "was called with another amount", findings);
      }
    }
  }

  private static void notBeforeItsSlot(Payment payment, Findings findings) {
    findings.looked(Promise.P5, 1);
    Optional<Long> slot =
        payment.end().isDone() && payment.end().fields().find("scheduledTime").isPresent()
            ? Optional.of(payment.end().fields().micros("scheduledTime"))
            : Optional.empty();
    if (slot.isPresent() && !payment.mayBeCancelled() && !payment.recordedMicros.isEmpty()) {
      long early = slot.get() - payment.recordedMicros.getFirst();
      if (early > MAX_EARLY_MICROS) {
        broken(
            Promise.P5,
            payment,
            "was called %d ms before its slot".formatted(early / 1_000),
            findings);
      }
    }
  }

  /** No call of a feed is begun between the answer to a hold and the next resumption. */
  private static void held(Sent feed, PaymentFacts facts, Findings findings) {
    for (Exchange hold : feed.holds) {
      boolean isDisturbed =
          feed.resumes.stream()
              .anyMatch(
                  resume ->
                      resume.beginNanos() - hold.endNanos() < 0
                          && (resume.isUnknown() || resume.endNanos() - hold.beginNanos() > 0));
      if (!hold.isDone() || isDisturbed) {
        continue;
      }
      findings.looked(Promise.P5, 1);
      long fromMicros = PaymentFacts.micros(hold, hold.endNanos()) + CLOCK_MICROS;
      long untilMicros =
          feed.resumes.stream()
              .filter(resume -> resume.beginNanos() - hold.endNanos() >= 0)
              .mapToLong(resume -> PaymentFacts.micros(resume, resume.beginNanos()))
              .min()
              .orElse(Long.MAX_VALUE);
      for (Payment payment : facts.payments()) {
        // One that another feed contains too may belong to that one.
        boolean isOfThis = payment.feeds.equals(List.of(feed));
        if (isOfThis
            && payment.recordedMicros.stream()
                .anyMatch(at -> at > fromMicros && at < untilMicros - CLOCK_MICROS)) {
          findings.broken(
              Promise.P5,
              "%s was called while %s was held".formatted(payment.id, feed.id),
              List.of(hold));
        }
      }
    }
  }

  private static void notAfterItsEnd(Payment payment, Findings findings) {
    List<Exchange> ends = new ArrayList<>();
    for (Exchange look : payment.looks) {
      boolean isOver =
          state(look).equals("PAID") || (ENDED.contains(state(look)) && !payment.mayBeRetried());
      if (isOver) {
        ends.add(look);
      }
    }
    if (!payment.mayBeRetried()) {
      payment.cancels.stream().filter(Exchange::isDone).forEach(ends::add);
    }
    for (Exchange end : ends) {
      findings.looked(Promise.P6, 1);
      long endMicros = PaymentFacts.micros(end, end.endNanos()) + CLOCK_MICROS;
      boolean isRecorded = payment.recordedMicros.stream().anyMatch(at -> at > endMicros);
      boolean isCalled =
          payment.calls.stream().anyMatch(call -> call.beginNanos() - end.endNanos() > 0)
              && !isPerhapsMade(payment.end())
              && !state(payment.end()).equals("PAID");
      if (isRecorded || isCalled) {
        broken(Promise.P6, payment, "was called after it had ended", findings);
        return;
      }
    }
  }

  private static void notTooLate(Payment payment, Findings findings) {
    if (payment.recordedMicros.isEmpty() || payment.mayBeRetried()) {
      return;
    }
    findings.looked(Promise.P6, 1);
    long micros = payment.recordedMicros.getLast() - payment.recordedMicros.getFirst();
    if (micros > Node.GIVE_UP_AFTER.toNanos() / 1_000) {
      broken(
          Promise.P6,
          payment,
          "was called %d s after its first call".formatted(micros / 1_000_000),
          findings);
    }
  }

  /** No second has more calls than the ceiling, by their arrival. */
  static void ceiling(List<Exchange> calls, Findings findings) {
    findings.looked(Promise.P3, calls.size());
    for (int i = Node.CEILING; i < calls.size(); i++) {
      Exchange first = calls.get(i - Node.CEILING);
      if (calls.get(i).beginNanos() - first.beginNanos() < SECOND_NANOS) {
        findings.broken(
            Promise.P3,
            "%d calls arrived within a second, and the ceiling is %d"
                .formatted(Node.CEILING + 1, Node.CEILING),
            calls.subList(i - Node.CEILING, i + 1));
        return;
      }
    }
  }

  private static void broken(Promise promise, Payment payment, String what, Findings findings) {
    List<Exchange> witness = new ArrayList<>(payment.calls);
    witness.addAll(payment.cancels);
    witness.add(payment.end());
    findings.broken(promise, payment.id + " " + what, witness);
  }
}
