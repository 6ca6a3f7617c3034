package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.FeedStatus;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedMaker;
import dev.weir.payments.feed.internal.FeedReader;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.workflows.PaymentScene.Settings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** From a file to a payment API behind a socket, and what that has seen. */
final class SimulatedDownstreamTest {
  private static final int CEILING = 5;
  private static final SimulatorSettings.Faults FAULTS =
      new SimulatorSettings.Faults(0.02, 0.05, 0.02, 0.03);

  @Test
  void flawedFeedIsPaidOnceAndTheApiNeverRefusesACall() throws IOException {
    ByteArrayOutputStream feed = new ByteArrayOutputStream();
    FeedMaker.Made made =
        FeedMaker.write(
            new FeedMaker.Settings(FeedFormat.CSV, 120, 11, Optional.empty(), Duration.ZERO, 0.3),
            feed);
    SimulatedBank[] bank = new SimulatedBank[1];
    try (PaymentScene scene =
        PaymentScene.open(
            new Settings(10_000, CEILING, 0, 0),
            time -> {
              bank[0] = SimulatedBank.open(time, CEILING, FAULTS);
              return bank[0].client();
            })) {
      FeedReader reader =
          FeedReader.open(new ByteArrayInputStream(feed.toByteArray()), FeedFormat.CSV);
      scene.receive("f", reader.records());
      FeedStatus done = scene.awaitDone("f");
      assertThat(done.read()).isEqualTo(120);
      assertThat(done.rejected()).isEqualTo(made.rejected());
      assertThat(done.repeated()).isEqualTo(made.repeated());
      assertThat(done.paid() + done.failed()).isEqualTo(made.payments());
      assertThat(scene.payments.rejects(scene.feedId("f"), 0, 1_000))
          .hasSize((int) made.rejected())
          .allSatisfy(
              reject -> {
                assertThat(reject.line()).isBetween(2L, 121L);
                assertThat(reject.reason()).isNotEmpty();
              });
      CallStatistics calls = bank[0].calls();
      assertThat(calls.booked()).isEqualTo(done.paid());
      assertThat(calls.count(CallResult.ABOVE_CEILING)).isZero();
      assertThat(calls.maxInSecond()).isBetween(1, CEILING);
      assertThat(calls.calls()).isGreaterThan(made.payments());
    } finally {
      bank[0].close();
    }
  }
}
