package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedStatus;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.workflows.PaymentScene.Settings;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The large feed: many chunks of payments through real workflows with skipped time, a bank behind a
 * socket that fails now and then, and crashes before and after any step of any part. {@code
 * -Dweir.payments.count=10000} makes it larger.
 */
final class LargeFeedTest {
  private static final Logger log = LoggerFactory.getLogger(LargeFeedTest.class);
  private static final int PAYMENTS = Integer.getInteger("weir.payments.count", 300);
  private static final int CEILING = 50;
  private static final SimulatorSettings.Faults FAULTS =
      new SimulatorSettings.Faults(0, 0.02, 0.002, 0.01);

  @Test
  void everyPaymentOfALargeFeedRunsExactlyOnceBelowTheCeiling() throws IOException {
    SimulatedBank[] bank = new SimulatedBank[1];
    try (PaymentScene scene =
        PaymentScene.open(
            new Settings(46, CEILING, 0, 0.01),
            time -> {
              bank[0] = SimulatedBank.open(time, CEILING, FAULTS);
              return bank[0].client();
            })) {
      long beganNanos = System.nanoTime();
      scene.receive("f", scene.feed(PAYMENTS));
      FeedStatus done = scene.awaitDone("f");
      CallStatistics calls = bank[0].calls();
      log.info(
          "{} payments in {} of skipped time and {} ms, {} calls, max {} in a second, {} crashes",
          PAYMENTS,
          calls.duration(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos),
          calls.calls(),
          calls.maxInSecond(),
          scene.crashes.count());
      assertThat(done.started()).isEqualTo(PAYMENTS);
      assertThat(done.paid()).isEqualTo(PAYMENTS);
      assertThat(calls.booked()).isEqualTo(PAYMENTS);
      assertThat(calls.count(CallResult.ABOVE_CEILING)).isZero();
      assertThat(calls.maxInSecond()).isBetween(1, CEILING);
      assertThat(scene.crashes.count()).isPositive();
      assertThat(scene.count("payment_audit where state = 3")).isEqualTo(PAYMENTS);
      assertThat(
              scene.count(
                  "payment p join payment_audit a using (payment_id)"
                      + " where p.attempts = a.attempts and p.state = a.state"))
          .isEqualTo(PAYMENTS);
      assertThat(scene.count("slot where state = 1")).as("confirmed slots").isEqualTo(PAYMENTS);
    } finally {
      if (bank[0] != null) {
        bank[0].close();
      }
    }
  }
}
