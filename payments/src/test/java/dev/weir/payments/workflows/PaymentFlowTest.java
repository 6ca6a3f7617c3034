package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.FeedState;
import dev.weir.payments.FeedStatus;
import dev.weir.payments.OtherFeedException;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whole feeds through real workflows. */
final class PaymentFlowTest {
  private static final Settings CALM = new Settings(15, 20, 0, 0);

  @Test
  void makesEveryPaymentAtItsPace() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      FeedStatus received = scene.receive("f", scene.feed(100));
      assertThat(received.state()).isEqualTo(FeedState.STARTING);
      assertThat(received.read()).isEqualTo(100);
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.assigned()).isEqualTo(100);
      assertThat(done.started()).isEqualTo(100);
      assertThat(done.paid()).isEqualTo(100);
      assertThat(done.rejected()).isZero();
      assertThat(scene.downstream.booked()).hasSize(100);
      assertThat(scene.downstream.calls()).isEqualTo(100);
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(20);
      assertThat(
              Duration.between(
                  done.firstScheduled().orElseThrow(), done.lastScheduled().orElseThrow()))
          .isGreaterThan(Duration.ofSeconds(5));
      PaymentStatus payment = scene.payments.find(scene.payment(7).paymentId()).orElseThrow();
      assertThat(payment.state()).isEqualTo(PaymentState.PAID);
      assertThat(payment.attempts()).isEqualTo(1);
      assertThat(payment.reason()).isEqualTo("ref-" + scene.payment(7).paymentId());
      assertThat(scene.scheduler.find(payment.paymentId()).orElseThrow().state())
          .isEqualTo(SlotState.CONFIRMED);
    }
  }

  @Test
  void ceilingHoldsWhenEverythingIsDueTogetherAndCallsFail() {
    try (PaymentScene scene = PaymentScene.open(new Settings(10_000, 3, 0.3, 0))) {
      scene.receive("f", scene.feed(60));
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.paid()).isEqualTo(60);
      assertThat(scene.downstream.booked()).hasSize(60);
      assertThat(scene.downstream.calls()).isGreaterThan(60);
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(3);
    }
  }

  @Test
  void crashesBeforeAndAfterAnyStepLoseAndRepeatNothing() {
    try (PaymentScene scene = PaymentScene.open(new Settings(30, 20, 0.2, 0.05))) {
      scene.receive("f", scene.feed(100));
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.paid()).isEqualTo(100);
      assertThat(scene.downstream.booked()).hasSize(100);
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(20);
      assertThat(scene.crashes.count()).isGreaterThan(20);
      for (int i = 0; i < 100; i++) {
        String id = scene.payment(i).paymentId();
        assertThat(scene.payments.find(id).orElseThrow().state()).isEqualTo(PaymentState.PAID);
        assertThat(scene.scheduler.find(id).orElseThrow().state()).isEqualTo(SlotState.CONFIRMED);
      }
    }
  }

  @Test
  void lateFeedDoesNotBurst() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Instant yesterday = scene.time.instant().minus(Duration.ofDays(1));
      List<Payment> late =
          IntStream.range(0, 60).mapToObj(i -> scene.payment(i, Optional.of(yesterday))).toList();
      scene.receive("f", PaymentScene.feed(late));
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.paid()).isEqualTo(60);
      assertThat(
              Duration.between(
                  done.firstScheduled().orElseThrow(), done.lastScheduled().orElseThrow()))
          .isGreaterThan(Duration.ofSeconds(2));
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(20);
    }
  }

  @Test
  void sameFeedTwicePaysNothingTwice() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      scene.receive("f", scene.feed(50));
      scene.awaitDone("f");
      assertThat(scene.receive("f", scene.feed(50)).state()).isEqualTo(FeedState.DONE);
      FeedStatus again = scene.receive("g", scene.feed(50));
      assertThat(again.repeated()).isEqualTo(50);
      FeedStatus done = scene.awaitDone("g");
      assertThat(done.paid()).isZero();
      assertThat(scene.downstream.calls()).isEqualTo(50);
    }
  }

  @Test
  void sameRecordsForAnotherConfigurationAreAnotherFeed() {
    try (PaymentScene scene = PaymentScene.open(new Settings(15, 20, 0, 0))) {
      scene.receive("f", scene.feed(3));
      assertThatThrownBy(
              () -> scene.payments.receive(scene.feedId("f"), scene.name + "-x", scene.feed(3)))
          .isInstanceOf(OtherFeedException.class);
      assertThat(scene.receive("f", scene.feed(3)).configName()).isEqualTo(scene.name);
    }
  }

  @Test
  void recordsThatCannotBePaidAreRejectedAndTheOthersPaid() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Payment first = scene.payment(1);
      Payment otherAmount =
          new Payment(
              first.paymentId(),
              new BigDecimal("99"),
              first.currency(),
              first.debtorAccount(),
              first.creditorAccount(),
              first.requestedTime(),
              first.reference(),
              "");
      Payment withoutConfig =
          new Payment(
              scene.name + "-x",
              BigDecimal.ONE,
              "EUR",
              "a",
              "b",
              Optional.empty(),
              "",
              "no-such-config");
      Payment closed =
          new Payment(
              scene.name + "-closed",
              BigDecimal.ONE,
              "EUR",
              "a",
              FlakyDownstream.REFUSED_ACCOUNT,
              Optional.empty(),
              "",
              "");
      List<FeedRecord> records = new ArrayList<>();
      records.add(new FeedRecord.Accepted(2, first));
      records.add(new FeedRecord.Accepted(3, first));
      records.add(new FeedRecord.Accepted(4, otherAmount));
      records.add(new FeedRecord.Rejected(5, "amount must be above 0", "", "x,-1"));
      records.add(new FeedRecord.Accepted(6, withoutConfig));
      records.add(new FeedRecord.Accepted(7, closed));
      records.add(new FeedRecord.Accepted(8, scene.payment(2)));
      scene.receive("f", records.iterator());
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.read()).isEqualTo(7);
      assertThat(done.repeated()).isEqualTo(1);
      assertThat(done.rejected()).isEqualTo(3);
      assertThat(done.paid()).isEqualTo(2);
      assertThat(done.failed()).isEqualTo(1);
      assertThat(scene.payments.rejects(scene.feedId("f"), 0, 100))
          .extracting(FeedRecord.Rejected::line, FeedRecord.Rejected::reason)
          .containsExactly(
              tuple(4L, "paymentId is that of another payment, with another amount"),
              tuple(5L, "amount must be above 0"),
              tuple(6L, "there is no configuration no-such-config"));
      assertThat(scene.payments.find(withoutConfig.paymentId()).orElseThrow().state())
          .isEqualTo(PaymentState.REJECTED);
      PaymentStatus failed = scene.payments.find(closed.paymentId()).orElseThrow();
      assertThat(failed.state()).isEqualTo(PaymentState.FAILED);
      assertThat(failed.reason()).isEqualTo("the account is closed");
    }
  }

  @Test
  void feedWithoutASlotConfigurationMayBeSentAgainWhenThereIsOne() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      String config = scene.name + "-later";
      scene.payments.receive(scene.feedId("f"), config, scene.feed(10));
      assertThat(scene.awaitDone("f").rejected()).isEqualTo(10);
      scene.scheduler.configure(config, SlotPolicy.of(10, Duration.ofSeconds(1)));
      scene.payments.receive(scene.feedId("g"), config, scene.feed(10));
      FeedStatus again = scene.awaitDone("g");
      assertThat(again.repeated()).isZero();
      assertThat(again.paid()).isEqualTo(10);
      assertThat(scene.downstream.booked()).hasSize(10);
    }
  }

  @Test
  void paymentIsMadeAlthoughOthersHaveConfirmedItsSlot() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      String id = scene.payment(1).paymentId();
      scene.scheduler.assign(id, scene.name);
      scene.scheduler.confirm(id);
      scene.receive("f", scene.feed(3));
      assertThat(scene.awaitDone("f").paid()).isEqualTo(3);
      assertThat(scene.downstream.calls()).isEqualTo(3);
    }
  }

  @Test
  void paymentIsGivenUpWhenItWasTriedForLong() {
    Duration max = Duration.ofMinutes(10);
    try (PaymentScene scene = PaymentScene.open(new Settings(15, 20, 1, 0, max))) {
      final Instant begin = scene.time.instant();
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      PaymentStatus payment = scene.payments.find(scene.payment(0).paymentId()).orElseThrow();
      assertThat(payment.endedAt().orElseThrow()).isAfterOrEqualTo(begin.plus(max));
      // Six waits that double, then one call a minute; a downstream may ask for longer waits.
      assertThat(payment.attempts()).isBetween(8, 17);
      assertThat(payment.reason())
          .startsWith(
              "given up after %d calls, and may have been made: ".formatted(payment.attempts()));
      assertThat(scene.downstream.calls()).isEqualTo(payment.attempts());
    }
  }

  @Test
  void refusalAfterAnUnknownResultSaysThatThePaymentMayHaveBeenMade() {
    Downstream forgetful =
        new Downstream() {
          private boolean isCalled;

          @Override
          public synchronized Answer pay(Payment payment) {
            boolean isFirst = !isCalled;
            isCalled = true;
            return isFirst
                ? new Answer.Unknown("the answer was lost", false)
                : new Answer.Rejected("status 409");
          }

          @Override
          public Duration maxCallTime() {
            return Duration.ofSeconds(3);
          }

          @Override
          public void close() {}
        };
    try (PaymentScene scene = PaymentScene.open(CALM, time -> forgetful)) {
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      assertThat(scene.payments.find(scene.payment(0).paymentId()).orElseThrow().reason())
          .isEqualTo("refused, and may have been made by an earlier call: status 409");
    }
  }

  @Test
  void cancelledPaymentIsNotMadeAndItsSlotIsFree() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      Instant tomorrow = scene.time.instant().plus(Duration.ofDays(1));
      Payment payment = scene.payment(1, Optional.of(tomorrow));
      scene.receive("f", PaymentScene.feed(List.of(payment, scene.payment(2))));
      scene.time.await(
          "the start of the feed",
          Duration.ofHours(1),
          () -> scene.status("f").state() == FeedState.STARTED);
      assertThat(scene.payments.cancel(payment.paymentId()))
          .contains(new Cancellation(PaymentState.CANCELLED, true));
      assertThat(scene.scheduler.find(payment.paymentId()).orElseThrow().state())
          .isEqualTo(SlotState.CANCELLED);
      assertThat(scene.awaitDone("f").cancelled()).isEqualTo(1);
      scene.time.pass(Duration.ofDays(2));
      assertThat(scene.downstream.calls(payment.paymentId())).isZero();
      assertThat(scene.payments.cancel(scene.payment(2).paymentId()))
          .contains(new Cancellation(PaymentState.PAID, false));
      assertThat(scene.payments.cancel("unknown")).isEmpty();
    }
  }
}
