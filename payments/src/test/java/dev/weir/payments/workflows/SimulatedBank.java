package dev.weir.payments.workflows;

import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.workflows.SkippedTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/** The simulator of a payment API behind a socket, on the clock of the test. */
final class SimulatedBank implements AutoCloseable {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

  /** Of calls that do not time out, on however busy a machine. */
  private static final Duration LONG_CALL_TIMEOUT = Duration.ofMinutes(1);

  private static final int MAX_PAYMENTS = 2_000_000;

  private final SkippedTime time;
  private final DownstreamSimulator simulator;
  private final DownstreamServer server;

  private SimulatedBank(SkippedTime time, DownstreamSimulator simulator, DownstreamServer server) {
    this.time = time;
    this.simulator = simulator;
    this.server = server;
  }

  static SimulatedBank open(SkippedTime time, int ceiling, SimulatorSettings.Faults faults) {
    DownstreamSimulator simulator =
        DownstreamSimulator.inMemory(
            new SimulatorSettings(
                ceiling,
                Duration.ofMillis(2),
                CALL_TIMEOUT.plusSeconds(1),
                faults,
                7,
                MAX_PAYMENTS),
            time::instant);
    try {
      return new SimulatedBank(
          time,
          simulator,
          DownstreamServer.start(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Downstream client() {
    return client(server.address());
  }

  /** Returns a client that reaches the bank at another address. */
  Downstream client(URI address) {
    return new HttpDownstream(new HttpDownstream.Settings(address, CALL_TIMEOUT, ""), time);
  }

  /** Returns a client that asks before it repeats a call. */
  Downstream clientWithLookUp() {
    return new HttpDownstream(
        new HttpDownstream.Settings(
            server.address(),
            LONG_CALL_TIMEOUT,
            "",
            StatusMeanings.DEFAULT,
            AnswerFields.DEFAULT,
            "/payments/{key}"),
        time);
  }

  URI address() {
    return server.address();
  }

  CallStatistics calls() {
    return simulator.statistics();
  }

  @Override
  public void close() throws IOException {
    server.close();
    simulator.close();
  }
}
