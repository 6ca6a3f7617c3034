package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Payments and what they share with others: slots, and connections to the database. */
final class PaymentSlotsTest {
  @Test
  void paymentWhosePlaceWasGivenToAnotherEventTakesANewSlot() {
    try (PaymentScene scene = PaymentScene.open(new Settings(1, 20, 0, 0))) {
      Instant soon = scene.time.instant().plus(Duration.ofHours(1));
      Payment payment = scene.payment(1, Optional.of(soon));
      String id = payment.paymentId();
      scene.receive("f", PaymentScene.feed(List.of(payment)));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      Instant lost = scene.scheduler.find(id).orElseThrow().scheduledTime();
      scene.scheduler.cancel(id);
      Slot other = scene.scheduler.assign(scene.name + "-other", scene.name, soon);
      assertThat(other.scheduledTime()).isEqualTo(lost);

      assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
      Slot slot = scene.scheduler.find(id).orElseThrow();
      assertThat(slot.state()).isEqualTo(SlotState.CONFIRMED);
      assertThat(slot.scheduledTime()).isAfter(lost);
      assertThat(scene.payments.find(id).orElseThrow().endedAt().orElseThrow())
          .isAfterOrEqualTo(slot.scheduledTime());
      assertThat(scene.downstream.calls()).isEqualTo(1);
    }
  }

  @Test
  void paymentThatLostItsSlotAndGetsNoOtherOneFails() {
    Duration max = Duration.ofMinutes(5);
    try (PaymentScene scene = PaymentScene.open(new Settings(10, 20, 0, 0, max))) {
      Instant soon = scene.time.instant().plus(Duration.ofHours(1));
      String id = scene.payment(1).paymentId();
      scene.receive("f", PaymentScene.feed(List.of(scene.payment(1, Optional.of(soon)))));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      scene.scheduler.cancel(id);
      scene.isFull = true;
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      PaymentStatus payment = scene.payments.find(id).orElseThrow();
      assertThat(payment.state()).isEqualTo(PaymentState.FAILED);
      assertThat(payment.reason())
          .isEqualTo(
              "given up without a call: it lost its slot and got no other one within PT5M: it is"
                  + " full");
      assertThat(payment.endedAt().orElseThrow()).isAfterOrEqualTo(soon.plus(max));
      assertThat(scene.downstream.calls()).isZero();
      assertThat(scene.count("payment_audit where payment_id = '%s'".formatted(id))).isEqualTo(1);
    }
  }

  /** As after a long outage of a node with the embedded Temporal, when slots are taken back. */
  @Test
  void paymentThatLostItsSlotAndItsWorkflowAndGetsNoOtherSlotFails() {
    Duration max = Duration.ofMinutes(5);
    try (PaymentScene scene = PaymentScene.open(new Settings(10, 20, 0, 0, max))) {
      Instant soon = scene.time.instant().plus(Duration.ofHours(1));
      String id = scene.payment(1).paymentId();
      scene.receive("f", PaymentScene.feed(List.of(scene.payment(1, Optional.of(soon)))));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      scene.time.client().newUntypedWorkflowStub("payment/" + id).terminate("by hand");
      scene.scheduler.cancel(id);
      scene.isFull = true;

      PaymentReconciler reconciler = scene.reconciler(Duration.ofMinutes(1));
      restartAll(reconciler);
      scene.time.pass(Duration.ofMinutes(30));
      assertThat(scene.payments.find(id).orElseThrow().state())
          .as("its time has not come")
          .isEqualTo(PaymentState.SCHEDULED);
      scene.time.pass(Duration.ofHours(1));
      reconciler.run();
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      assertThat(scene.payments.find(id).orElseThrow().reason())
          .startsWith("given up without a call: it lost its slot");
      assertThat(scene.downstream.calls(id)).isZero();
    }
  }

  private static void restartAll(PaymentReconciler reconciler) {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = reconciler.restartPage();
    }
  }

  @Test
  void slotOfAPaymentThatIsCancelledWhileItGetsItIsFree() {
    try (PaymentScene scene = PaymentScene.open(new Settings(10, 20, 0, 0))) {
      Payment payment =
          scene.payment(1, Optional.of(scene.time.instant().plus(Duration.ofDays(1))));
      String id = payment.paymentId();
      scene.onAssign = () -> scene.payments.cancel(id);
      scene.receive("f", PaymentScene.feed(List.of(payment, scene.payment(2))));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> !scene.status("f").state().equals(FeedState.STARTING));
      assertThat(scene.scheduler.find(id).orElseThrow().state()).isEqualTo(SlotState.CANCELLED);
      assertThat(scene.awaitDone("f").cancelled()).isEqualTo(1);
      assertThat(scene.downstream.calls(id)).isZero();
    }
  }

  @Test
  void paymentWhoseIdHasASlotForAnotherTimeIsRejected() {
    try (PaymentScene scene = PaymentScene.open(new Settings(10, 20, 0, 0))) {
      Instant later = scene.time.instant().plus(Duration.ofDays(30));
      Slot tooLate = scene.scheduler.assign(scene.payment(1).paymentId(), scene.name, later);
      Slot tooEarly = scene.scheduler.assign(scene.payment(2).paymentId(), scene.name);
      scene.receive(
          "f",
          PaymentScene.feed(
              List.of(scene.payment(0), scene.payment(1), scene.payment(2, Optional.of(later)))));
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.paid()).isEqualTo(1);
      assertThat(scene.payments.rejects(scene.feedId("f"), 0, 10))
          .extracting(FeedRecord.Rejected::reason)
          .containsExactly(
              "paymentId is the event id of a slot that was requested for "
                  + tooLate.requestedTime(),
              "paymentId is the event id of a slot that was requested for "
                  + tooEarly.requestedTime());
      assertThat(scene.scheduler.find(tooLate.eventId())).contains(tooLate);
    }
  }

  @Test
  void reconcilerFreesTheSlotOfACancelledPayment() {
    try (PaymentScene scene = PaymentScene.open(new Settings(10, 20, 0, 0))) {
      Instant tomorrow = scene.time.instant().plus(Duration.ofDays(1));
      Payment payment = scene.payment(1, Optional.of(tomorrow));
      String id = payment.paymentId();
      scene.receive(
          "f", PaymentScene.feed(List.of(payment, scene.payment(2, Optional.of(tomorrow)))));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      // As a process does that crashes before it frees the slot.
      scene.store.cancel(id);
      assertThat(scene.scheduler.find(id).orElseThrow().state()).isEqualTo(SlotState.ASSIGNED);
      scene.reconciler(Duration.ofMinutes(1)).run();
      assertThat(scene.scheduler.find(id).orElseThrow().state()).isEqualTo(SlotState.CANCELLED);
      assertThat(scene.scheduler.find(scene.payment(2).paymentId()).orElseThrow().state())
          .isEqualTo(SlotState.ASSIGNED);
    }
  }

  @Test
  void slotsOfPaymentsThatWaitCannotBeTakenBack() {
    AtomicBoolean isOpen = new AtomicBoolean();
    Downstream closed =
        new Downstream() {
          @Override
          public Answer pay(Payment payment) {
            return isOpen.get() ? new Answer.Paid("r") : new Answer.Retry(Duration.ZERO, "closed");
          }

          @Override
          public Duration maxCallTime() {
            return Duration.ofSeconds(3);
          }

          @Override
          public void close() {}
        };
    // One call a second, so that most of the payments are in line.
    try (PaymentScene scene = PaymentScene.open(new Settings(10_000, 1, 0, 0), time -> closed)) {
      scene.receive("f", scene.feed(20));
      scene.time.await(
          "the start of the feed",
          Duration.ofMinutes(30),
          () -> scene.status("f").state() == FeedState.STARTED);
      scene.time.await(
          "confirmed slots",
          Duration.ofMinutes(30),
          () -> scene.count("slot where state = 1") == 20);
      scene.time.pass(Duration.ofMinutes(1));
      assertThat(scene.upkeep.countLeaked(scene.time.instant(), 100)).isZero();
      assertThat(scene.upkeep.reclaim(scene.time.instant(), 100)).isZero();
      isOpen.set(true);
      assertThat(scene.awaitDone("f").paid()).isEqualTo(20);
    }
  }

  @Test
  void hundredsOfPaymentsThatAreDueTogetherShareThreeConnections() {
    try (PaymentScene scene = PaymentScene.open(new Settings(10_000, 400, 0, 0), 3)) {
      scene.receive("f", scene.feed(400));
      assertThat(scene.awaitDone("f").paid()).isEqualTo(400);
      assertThat(scene.downstream.calls()).isEqualTo(400);
    }
  }
}
