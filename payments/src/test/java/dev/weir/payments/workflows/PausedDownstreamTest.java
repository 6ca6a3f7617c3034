package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.workflows.PaymentScene.Settings;
import dev.weir.workflows.SkippedTime;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A payment API that does nothing for minutes, and then looks at all calls that it has got. */
final class PausedDownstreamTest {
  private static final int CEILING = 3;
  private static final int PAYMENTS = 8;

  /** Much longer than a call may take and be late, and shorter than the longest pause. */
  private static final Duration PAUSE = Duration.ofMinutes(2);

  private SimulatedBank bank;
  private HeldConnections connections;

  private Downstream downstream(SkippedTime time) {
    bank = SimulatedBank.open(time, CEILING, SimulatorSettings.Faults.NONE);
    connections = HeldConnections.to(bank.address());
    return bank.client(connections.address());
  }

  @Test
  void seesNoSecondAboveTheCeilingWhenItGoesOn() throws IOException {
    try (PaymentScene scene =
        PaymentScene.open(new Settings(10_000, CEILING, 0, 0), this::downstream)) {
      scene.receive("f", scene.feed(PAYMENTS));
      scene.time.await("calls that wait", PAUSE.multipliedBy(2), () -> calls(scene) == CEILING);
      scene.time.pass(PAUSE);
      assertThat(bank.calls().calls()).isZero();
      assertThat(calls(scene)).as("calls that wait").isEqualTo(CEILING);
      connections.letGo();
      assertThat(scene.awaitDone("f").paid()).isEqualTo(PAYMENTS);
      assertThat(bank.calls().count(CallResult.ABOVE_CEILING)).isZero();
      assertThat(bank.calls().maxInSecond()).isLessThanOrEqualTo(CEILING);
      assertThat(bank.calls().booked()).isEqualTo(PAYMENTS);
    } finally {
      connections.close();
      bank.close();
    }
  }

  private static long calls(PaymentScene scene) {
    return scene.count("payment_call where payment_id like '%s-%%'".formatted(scene.name));
  }
}
