package dev.weir.torture.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.HandmadeHistory;
import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.stage.Node;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories of payments that keep or break a promise. */
final class PaymentCheckTest {
  private static final String ID = "p1";

  private final HandmadeHistory history = new HandmadeHistory();
  private final PaymentFacts facts = new PaymentFacts();

  private void add(String kind, String subject, String request, int status, String answer) {
    facts.add(history.add(kind, subject, request, status, answer));
  }

  private void send(int status) {
    add("feed", "f1", "paymentId,amount\n" + ID + ",1\n", status, "{}");
  }

  /** The payment API gets a call that is recorded at the same time. */
  private void call() {
    callUnrecorded();
    facts.payment(ID).recordedMicros.add(HandmadeHistory.micros(history.seconds()));
  }

  private void callUnrecorded() {
    history.add("pause", "", "{}", 200, "{}");
    facts.payment(ID).calls.add(callAt(history.seconds()));
  }

  private static Exchange callAt(long second) {
    return HandmadeHistory.at(
        second, "call", ID, "{'amount':'" + Feed.amount(ID) + "'}", 201, "{}");
  }

  private void booked() {
    facts.payment(ID).isBooked = true;
  }

  private void look(String state, String more) {
    add("payment", ID, "", 200, "{'state':'" + state + "'" + more + "}");
  }

  private void done() {
    add("progress", "f1", "", 200, "{'state':'DONE'}");
  }

  private List<Promise> broken() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    PaymentCheck.check(facts, findings);
    return findings.violations().stream().map(Violation::promise).distinct().toList();
  }

  @Test
  void paymentThatIsMadeOnceIsKept() {
    send(202);
    call();
    booked();
    done();
    look("PAID", ",'scheduledTime':'2030-01-01T00:00:02Z'");
    assertThat(broken()).isEmpty();
  }

  @Test
  void paymentThatDoesNotEndBreaksP1() {
    send(202);
    add("progress", "f1", "", 200, "{'state':'STARTED'}");
    look("RUNNING", "");
    assertThat(broken()).containsExactly(Promise.P1);
  }

  @Test
  void feedWithoutAnAnswerPromisesNothing() {
    send(0);
    add("progress", "f1", "", 404, "{}");
    add("payment", ID, "", 404, "{}");
    assertThat(broken()).isEmpty();
  }

  @Test
  void paidThatIsNotBookedBreaksP2() {
    send(202);
    call();
    done();
    look("PAID", "");
    assertThat(broken()).containsExactly(Promise.P2);
  }

  @Test
  void failedThatIsBookedBreaksP2UnlessItSaysSo() {
    send(202);
    call();
    booked();
    done();
    look("FAILED", ",'reason':'given up after 1 calls'");
    assertThat(broken()).containsExactly(Promise.P2);
    look("FAILED", ",'reason':'given up after 1 calls, and may have been made'");
    assertThat(broken()).isEmpty();
  }

  @Test
  void moreCallsThanTheCeilingBreakP3() {
    List<Exchange> calls = new ArrayList<>();
    for (int i = 0; i <= Node.CEILING; i++) {
      calls.add(callAt(5));
    }
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    PaymentCheck.ceiling(calls.subList(1, calls.size()), findings);
    assertThat(findings.isClean()).isTrue();
    PaymentCheck.ceiling(calls, findings);
    assertThat(findings.violations()).extracting(Violation::promise).containsExactly(Promise.P3);
  }

  @Test
  void callThatIsNotRecordedBreaksP4() {
    send(202);
    callUnrecorded();
    booked();
    done();
    look("PAID", "");
    assertThat(broken()).containsExactly(Promise.P4);
  }

  @Test
  void callOfAFeedThatWasRefusedBreaksP4() {
    send(400);
    call();
    booked();
    look("PAID", "");
    assertThat(broken()).containsExactly(Promise.P4);
  }

  @Test
  void callBeforeItsSlotBreaksP5() {
    send(202);
    call();
    booked();
    done();
    look("PAID", ",'scheduledTime':'2030-01-01T00:00:09Z'");
    assertThat(broken()).containsExactly(Promise.P5);
  }

  @Test
  void callWhileItIsHeldBreaksP5() {
    send(202);
    add("hold", "f1", "", 200, "{}");
    call();
    add("resume", "f1", "", 200, "{}");
    booked();
    done();
    look("PAID", "");
    assertThat(broken()).containsExactly(Promise.P5);
  }

  @Test
  void callAfterTheResumptionIsKept() {
    send(202);
    add("hold", "f1", "", 200, "{}");
    add("resume", "f1", "", 0, "no answer");
    call();
    add("resume", "f1", "", 200, "{}");
    booked();
    done();
    look("PAID", "");
    assertThat(broken()).isEmpty();
  }

  @Test
  void callAfterACancellationBreaksP6() {
    send(202);
    add("cancel payment", ID, "", 204, "");
    call();
    done();
    look("CANCELLED", "");
    assertThat(broken()).containsExactly(Promise.P6);
  }

  @Test
  void callThatWasOnItsWayIsKeptIfThePaymentSaysSo() {
    send(202);
    facts.payment(ID).recordedMicros.add(HandmadeHistory.micros(history.seconds()));
    add("cancel payment", ID, "", 204, "");
    callUnrecorded();
    booked();
    done();
    look("CANCELLED", ",'reason':'cancelled, and may have been made'");
    assertThat(broken()).isEmpty();
  }

  @Test
  void callAfterTheDeadlineBreaksP6() {
    send(202);
    call();
    facts
        .payment(ID)
        .recordedMicros
        .add(HandmadeHistory.micros(history.seconds() + Node.GIVE_UP_AFTER.toSeconds() + 1));
    history.add("pause", "", "{}", 200, "{}");
    done();
    look("FAILED", ",'reason':'given up, and may have been made'");
    assertThat(broken()).contains(Promise.P6);
  }

  @Test
  void wrongFeedThatIsReceivedBreaksP4() {
    add("wrong feed", "f1", "paymentId,amount\n" + ID + ",1\n", 400, "{}");
    look("", "");
    assertThat(broken()).isEmpty();
    add("wrong feed", "f1", "paymentId,amount\n" + ID + ",1\n", 202, "{}");
    assertThat(broken()).containsExactly(Promise.P4);
  }

  @Test
  void callOfAWrongFeedBreaksP4() {
    add("wrong feed", "f1", "paymentId,amount\n" + ID + ",1\n", 0, "");
    call();
    look("", "");
    assertThat(broken()).containsExactly(Promise.P4);
  }

  @Test
  void repetitionWithoutALookUpBreaksP7() {
    facts.hasLookUps = true;
    send(202);
    for (int i = 0; i < 2; i++) {
      call();
      Exchange answered = facts.payment(ID).calls.removeLast();
      facts.payment(ID).calls.add(withStatus(answered, 503));
    }
    done();
    look("FAILED", ",'reason':'it may have been made'");
    Exchange question = HandmadeHistory.at(3, "look-up", ID, "", 404, "{}");
    facts.payment(ID).lookUps.add(question);
    assertThat(broken()).isEmpty();
    facts.payment(ID).lookUps.clear();
    assertThat(broken()).containsExactly(Promise.P7);
  }

  private static Exchange withStatus(Exchange call, int status) {
    return new Exchange(
        call.number(),
        call.kind(),
        call.subject(),
        call.node(),
        call.request(),
        call.beginNanos(),
        call.beganAt(),
        call.endNanos(),
        status,
        call.answer());
  }
}
