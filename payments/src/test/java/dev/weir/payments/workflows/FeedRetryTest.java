package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedScope;
import dev.weir.payments.FeedState;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.payments.workflows.PaymentScene.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Payments that failed and are tried again. */
final class FeedRetryTest {
  private static final Duration MAX_TIME = Duration.ofMinutes(10);
  private static final Duration GRACE = Duration.ofMinutes(1);
  private static final Settings SETTINGS = new Settings(15, 20, 0, 0, MAX_TIME);

  /** Answers in one way until it is repaired. */
  private static final class BrokenDownstream implements Downstream {
    private final Answer broken;
    volatile boolean isRepaired;

    BrokenDownstream(Answer broken) {
      this.broken = broken;
    }

    @Override
    public Answer pay(Payment payment) {
      return isRepaired ? new Answer.Paid("r") : broken;
    }

    @Override
    public Duration maxCallTime() {
      return Duration.ofSeconds(3);
    }

    @Override
    public void close() {}
  }

  private static PaymentStatus payment(PaymentScene scene) {
    return scene.payments.find(scene.payment(0).paymentId()).orElseThrow();
  }

  @Test
  void refusedPaymentIsMadeWhenItIsTriedAgainLaterThanItsFormerDeadline() {
    BrokenDownstream downstream = new BrokenDownstream(new Downstream.Answer.Rejected("closed"));
    try (PaymentScene scene = PaymentScene.open(SETTINGS, time -> downstream)) {
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      scene.time.pass(MAX_TIME.multipliedBy(3));
      scene.reconciler(GRACE).run();
      downstream.isRepaired = true;
      FeedScope feed = new FeedScope.One(scene.feedId("f"));

      assertThat(scene.store.retry(feed, false, "ann", 10).payments()).isEqualTo(1);
      assertThat(scene.status("f").state()).isEqualTo(FeedState.STARTED);
      assertThat(payment(scene).state()).isEqualTo(PaymentState.SCHEDULED);
      assertThat(payment(scene).endedAt()).isEmpty();
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
      assertThat(payment(scene).attempts()).isEqualTo(2);
      assertThat(scene.store.retry(feed, true, "ann", 10).payments()).as("it is paid").isZero();
    }
  }

  @Test
  void paymentThatMayHaveBeenMadeIsTriedAgainOnlyIfThatIsForced() {
    BrokenDownstream downstream =
        new BrokenDownstream(new Downstream.Answer.Unknown("no answer", false));
    try (PaymentScene scene = PaymentScene.open(SETTINGS, time -> downstream)) {
      scene.receive("f", scene.feed(1));
      assertThat(scene.awaitDone("f").failed()).isEqualTo(1);
      downstream.isRepaired = true;
      FeedScope feed = new FeedScope.One(scene.feedId("f"));
      assertThat(scene.store.retry(feed, false, "ann", 10).payments()).isZero();
      assertThat(payment(scene).state()).isEqualTo(PaymentState.FAILED);

      assertThat(scene.store.retry(feed, true, "ann", 10).payments()).isEqualTo(1);
      scene.reconciler(GRACE).run();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(1);
    }
  }
}
