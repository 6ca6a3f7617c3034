package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedState;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.workflows.PaymentScene.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The emergency brake. */
final class FeedHoldTest {
  private static final Settings CALM = new Settings(15, 20, 0, 0);
  private static final Duration GRACE = Duration.ofMinutes(1);

  private static void receiveForLater(PaymentScene scene, String feed, int number) {
    Instant later = scene.time.instant().plus(Duration.ofHours(1));
    Payment payment = scene.payment(number, Optional.of(later));
    scene.receive(feed, PaymentScene.feed(List.of(payment)));
    scene.time.await(
        "the start of the feed",
        Duration.ofMinutes(30),
        () -> scene.status(feed).state() == FeedState.STARTED);
  }

  @Test
  void heldPaymentIsNotCalledAlthoughItsWorkflowWasStarted() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      receiveForLater(scene, "held", 1);
      receiveForLater(scene, "other", 2);
      FeedScope feed = new FeedScope.One(scene.feedId("held"));

      assertThat(scene.store.hold(feed, "ann")).isTrue();
      assertThat(scene.store.hold(feed, "ann")).as("held already").isFalse();
      assertThat(scene.status("held").isHeld()).isTrue();
      assertThat(scene.status("other").isHeld()).isFalse();
      assertThat(scene.awaitDone("other").paid()).isEqualTo(1);
      scene.time.pass(Duration.ofHours(12));
      scene.reconciler(GRACE).run();
      scene.time.pass(Duration.ofHours(12));
      assertThat(scene.downstream.calls(scene.payment(1).paymentId())).isZero();
      assertThat(scene.payments.find(scene.payment(1).paymentId()).orElseThrow().state())
          .isEqualTo(PaymentState.SCHEDULED);

      assertThat(scene.store.resume(feed, "ann")).isTrue();
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("held").paid()).isEqualTo(1);
      assertThat(scene.downstream.calls()).isEqualTo(2);
    }
  }

  /** A hold may be shorter than the time after which an open payment counts as late. */
  @Test
  void paymentThatCameDueDuringAShortHoldIsStartedWhenItIsResumed() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      receiveForLater(scene, "f", 1);
      FeedScope feed = new FeedScope.One(scene.feedId("f"));
      scene.store.hold(feed, "ann");
      scene.time.pass(Duration.ofHours(2));
      scene.store.resume(feed, "ann");
      PaymentReconciler reconciler = scene.reconciler(Duration.ofDays(1));

      reconciler.run();
      assertThat(scene.status("f").state()).as("not late yet").isEqualTo(FeedState.STARTED);
      reconciler.beginAnew();
      reconciler.run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
    }
  }

  /** Otherwise it would be made late, when it is found overdue. */
  @Test
  void heldPaymentIsStartedOnATemporalThatHasLostIt() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      receiveForLater(scene, "f", 1);
      FeedScope feed = new FeedScope.One(scene.feedId("f"));
      assertThat(scene.store.hold(feed, "ann")).isTrue();
      try (PaymentScene restarted = scene.onAnotherTemporal(CALM)) {
        PaymentReconciler reconciler = restarted.reconciler(Duration.ofDays(7));
        while (reconciler.restartPage()) {
          // All pages.
        }
        assertThat(scene.store.resume(feed, "ann")).isTrue();
        assertThat(restarted.awaitDone("f").paid()).isEqualTo(1);
      }
    }
  }

  @Test
  void holdOfAllFeedsIsForThoseThatArriveLaterToo() {
    try (PaymentScene scene = PaymentScene.open(CALM)) {
      FeedScope all = new FeedScope.All();
      try {
        scene.store.hold(all, "ann");
        scene.receive("f", scene.feed(3));
        scene.time.pass(Duration.ofHours(1));
        assertThat(scene.status("f").isHeld()).isTrue();
        assertThat(scene.downstream.calls()).isZero();
      } finally {
        scene.store.resume(all, "ann");
      }
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(3);
    }
  }

  @Test
  void holdStopsTheRetriesOfAPayment() {
    try (PaymentScene scene = PaymentScene.open(new Settings(15, 20, 1, 0))) {
      scene.receive("f", scene.feed(1));
      String id = scene.payment(0).paymentId();
      scene.time.await(
          "a call", Duration.ofHours(1), () -> scene.store.find(id).orElseThrow().attempts() > 0);
      scene.store.hold(new FeedScope.One(scene.feedId("f")), "ann");
      scene.time.pass(Duration.ofMinutes(1));
      long calls = scene.downstream.calls(id);
      scene.time.pass(Duration.ofHours(12));
      assertThat(scene.downstream.calls(id)).isEqualTo(calls);
    }
  }
}
