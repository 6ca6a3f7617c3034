package dev.weir.workflows.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.payments.FeedStatus;
import dev.weir.workflows.SkippedTime;
import dev.weir.workflows.calls.internal.CallResult;
import dev.weir.workflows.calls.internal.CallStatistics;
import dev.weir.workflows.downstream.internal.DownstreamServer;
import dev.weir.workflows.downstream.internal.DownstreamSimulator;
import dev.weir.workflows.downstream.internal.SimulatorSettings;
import dev.weir.workflows.feed.internal.FeedFormat;
import dev.weir.workflows.feed.internal.FeedMaker;
import dev.weir.workflows.feed.internal.FeedReader;
import dev.weir.workflows.payments.PaymentScene.Settings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** From a file to a payment API behind a socket, and what that has seen. */
final class SimulatedDownstreamTest {
  private static final int CEILING = 5;

  /** The simulator over HTTP, on the clock of the test. */
  private static final class Bank implements AutoCloseable {
    private final DownstreamSimulator simulator;
    private final DownstreamServer server;

    Bank(SkippedTime time) {
      simulator =
          DownstreamSimulator.inMemory(
              new SimulatorSettings(
                  CEILING,
                  Duration.ofMillis(5),
                  Duration.ofMillis(300),
                  new SimulatorSettings.Faults(0.02, 0.05, 0.02, 0.03),
                  7,
                  10_000),
              time::instant);
      try {
        server =
            DownstreamServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Downstream client(SkippedTime time) {
      return new HttpDownstream(
          new HttpDownstream.Settings(server.address(), Duration.ofMillis(200), ""), time);
    }

    @Override
    public void close() throws IOException {
      server.close();
      simulator.close();
    }
  }

  @Test
  void flawedFeedIsPaidOnceAndTheApiNeverRefusesACall() throws IOException {
    ByteArrayOutputStream feed = new ByteArrayOutputStream();
    FeedMaker.Made made =
        FeedMaker.write(
            new FeedMaker.Settings(FeedFormat.CSV, 120, 11, Optional.empty(), Duration.ZERO, 0.3),
            feed);
    Bank[] bank = new Bank[1];
    try (PaymentScene scene =
        PaymentScene.open(
            new Settings(10_000, CEILING, 0, 0),
            time -> {
              bank[0] = new Bank(time);
              return bank[0].client(time);
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
      CallStatistics calls = bank[0].simulator.statistics();
      assertThat(calls.booked()).isEqualTo(done.paid());
      assertThat(calls.count(CallResult.ABOVE_CEILING)).isZero();
      assertThat(calls.maxInSecond()).isBetween(2, CEILING);
      assertThat(calls.calls()).isGreaterThan(made.payments());
    } finally {
      bank[0].close();
    }
  }
}
