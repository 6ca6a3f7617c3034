package dev.weir.workflows.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.payments.FeedStatus;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.slots.SlotState;
import dev.weir.workflows.payments.PaymentScene.Settings;
import org.junit.jupiter.api.Test;

/** The large feed: ten thousand payments, a downstream that fails, and crashes everywhere. */
final class PaymentsIT {
  private static final int PAYMENTS = 10_000;
  private static final int CEILING = 50;

  @Test
  void tenThousandPaymentsRunExactlyOnceBelowTheCeiling() {
    try (PaymentScene scene = PaymentScene.open(new Settings(46, CEILING, 0.05, 0.01))) {
      scene.receive("f", scene.feed(PAYMENTS));
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.started()).isEqualTo(PAYMENTS);
      assertThat(done.paid()).isEqualTo(PAYMENTS);
      assertThat(scene.downstream.booked()).hasSize(PAYMENTS);
      assertThat(scene.downstream.maxInASecond()).isLessThanOrEqualTo(CEILING);
      assertThat(scene.store.maxCallsInASecond(scene.feedId("f"))).isPositive();
      for (int i = 0; i < PAYMENTS; i += 97) {
        String id = scene.payment(i).paymentId();
        assertThat(scene.payments.find(id).orElseThrow().state()).isEqualTo(PaymentState.PAID);
        assertThat(scene.scheduler.find(id).orElseThrow().state()).isEqualTo(SlotState.CONFIRMED);
      }
    }
  }
}
