package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.payments.PaymentState;
import dev.weir.payments.workflows.Downstream.Answer;
import dev.weir.payments.workflows.Downstream.LookUp;
import dev.weir.payments.workflows.PaymentActivities.Kind;
import dev.weir.payments.workflows.PaymentActivities.Report;
import dev.weir.payments.workflows.PaymentActivities.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one step of a payment does with its places, its look-ups and late answers. */
final class PaymentStepsTest {
  private final PaymentSteps steps = new PaymentSteps();

  @AfterEach
  void close() {
    steps.close();
  }

  private Step pay() {
    return steps.execution.pay(PaymentSteps.ID);
  }

  private void hesitate() {
    steps.nanos += LeaseCeiling.MAX_HESITATION.toNanos();
  }

  @Test
  void callThatHesitatesIsNotSent() {
    steps.onClock = this::hesitate;
    assertThat(pay()).isEqualTo(Step.waiting(1));
    assertThat(steps.events).containsExactlyInAnyOrder("gate: not called", "place: unused");
    assertThat(steps.payment().attempts()).isZero();

    steps.onClock = () -> {};
    steps.answers.add(new Answer.Paid("r"));
    assertThat(pay().kind()).isEqualTo(Kind.ENDED);
    assertThat(steps.payment().state()).isEqualTo(PaymentState.PAID);
  }

  /** The place at the gate is as old. */
  @Test
  void callThatWaitedAtTheCeilingIsNotSent() {
    steps.onCeiling = this::hesitate;
    assertThat(pay()).isEqualTo(Step.waiting(1));
    assertThat(steps.events).doesNotContain("call").contains("gate: not called");
  }

  @Test
  void lookUpThatHesitatesIsNotSent() {
    steps.callIsLost();
    steps.onCeiling = this::hesitate;
    assertThat(pay()).isEqualTo(Step.waiting(1));
    assertThat(steps.events).doesNotContain("look-up").contains("place: unused");
  }

  /** Otherwise it is kept for as long as the downstream may pause. */
  @Test
  void placeOfALookUpIsGivenBackIfItsValidityCannotBeTold() {
    steps.callIsLost();
    steps.onValidity =
        () -> {
          throw new StoreException(StoreException.Outcome.NONE, "away");
        };
    assertThatThrownBy(this::pay).isInstanceOf(StoreException.class);
    assertThat(steps.events).doesNotContain("look-up").contains("place: unused");
  }

  /** Otherwise it is kept for a window and the time of a call. */
  @Test
  void placeAtTheGateIsGivenBackIfTheCeilingFails() {
    steps.onCeiling =
        () -> {
          throw new StoreException(StoreException.Outcome.NONE, "away");
        };
    assertThatThrownBy(this::pay).isInstanceOf(StoreException.class);
    assertThat(steps.events).containsExactly("gate: not called");
  }

  @Test
  void lookUpKeepsItsPlaceAsACallDoes() {
    steps.callIsLost();
    steps.lookUps.add(new LookUp.Unanswered("no answer", new CompletableFuture<>()));
    pay();
    steps.lookUps.add(new LookUp.Unclear("the connection failed", true));
    pay();
    steps.lookUps.add(new LookUp.Unclear("status 503", false));
    pay();
    steps.lookUps.add(new LookUp.Made("r"));
    pay();
    assertThat(steps.events.stream().filter(event -> event.startsWith("place")))
        .containsExactly(
            "place: unanswered", "place: may arrive", "place: answered", "place: answered");
    assertThat(steps.payment().state()).isEqualTo(PaymentState.PAID);
  }

  @Test
  void unclearLookUpsBackOff() {
    steps.callIsLost();
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      steps.lookUps.add(new LookUp.Unclear("its state is pending", false));
      Step step = pay();
      waits.add(step.waitMillis());
      steps.now = steps.now.plusMillis(step.waitMillis());
    }
    assertThat(waits).containsExactly(10_000L, 20_000L, 40_000L, 60_000L, 60_000L, 60_000L);
    steps.lookUps.add(new LookUp.Unclear(Duration.ofMinutes(5), "status 429", false));
    assertThat(pay().waitMillis()).isEqualTo(300_000);
  }

  @Test
  void callThatIsOverAfterTheTimeOfThePaymentIsLookedUp() {
    steps.callIsLost();
    steps.lookUps.add(new LookUp.NotKnown());
    steps.now = steps.now.plus(PaymentSteps.MAX_TIME).minus(PaymentSteps.MAX_CALL).minusSeconds(1);
    steps.answers.add(new Answer.Unknown("the connection failed", true));
    // The call takes longer than there is time.
    steps.onCall = () -> steps.now = steps.now.plusSeconds(5);
    assertThat(pay()).isEqualTo(Step.waiting(1));
    assertThat(steps.payment().state()).isEqualTo(PaymentState.RUNNING);

    steps.lookUps.add(new LookUp.Made("r-7"));
    assertThat(pay().kind()).isEqualTo(Kind.ENDED);
    assertThat(steps.payment().state()).isEqualTo(PaymentState.PAID);
  }

  @Test
  void resultThatIsRecordedAfterACancellationSaysThatThePaymentIsMade() {
    assertThat(steps.store.begin(PaymentSteps.ID)).isPresent();
    Instant calledAt =
        steps
            .store
            .beginCall(PaymentSteps.ID, 0, PaymentSteps.MAX_CALL, PaymentSteps.MAX_TIME)
            .orElseThrow();
    steps.now = calledAt.plus(PaymentSteps.MAX_CALL);
    assertThat(steps.store.cancel(PaymentSteps.ID).orElseThrow().state())
        .isEqualTo(PaymentState.CANCELLED);
    long micros = Micros.ceil(calledAt);
    assertThat(
            steps
                .execution
                .record(new Report(PaymentSteps.ID, micros, micros + 1, "PAID", "r", 0))
                .kind())
        .isEqualTo(Kind.ENDED);
    assertThat(steps.payment().state()).isEqualTo(PaymentState.CANCELLED);
    assertThat(steps.payment().reason()).startsWith("it is made, says an answer that came later");
  }

  /** The time for which a payment waits for a slot counts anew. */
  @Test
  void slotThatIsThereAgainEndsTheTimeWithoutOne() {
    Instant first = steps.now;
    assertThat(steps.store.withoutSlot(PaymentSteps.ID, first)).isEqualTo(first);
    assertThat(steps.store.withoutSlot(PaymentSteps.ID, first.plusSeconds(1))).isEqualTo(first);
    steps.store.withSlot(PaymentSteps.ID);
    Instant second = first.plusSeconds(60);
    assertThat(steps.store.withoutSlot(PaymentSteps.ID, second)).isEqualTo(second);
  }

  @Test
  void lateAnswerAboutAnotherPaymentEndsIt() {
    CompletableFuture<Answer> late = new CompletableFuture<>();
    steps.answers.add(new Answer.Unanswered("no answer", new CompletableFuture<>(), late));
    pay();
    assertThat(steps.payment().state()).isEqualTo(PaymentState.RUNNING);
    late.complete(new Answer.Contradicted("its amount is 25, not 10"));
    assertThat(steps.payment().state()).isEqualTo(PaymentState.FAILED);
    assertThat(steps.payment().reason())
        .isEqualTo("needs attention, and may have been made: its amount is 25, not 10");
  }
}
