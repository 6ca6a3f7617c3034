package dev.weir.payments.server.cli;

import dev.weir.node.settings.FileProblem;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.report.ReportSection;
import dev.weir.payments.simulator.report.ReportText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a payment API for tests and demonstrations until it is stopped. */
@Command(
    name = "downstream",
    description =
        "Runs a payment API for tests and demonstrations. It refuses calls above its ceiling over"
            + " any sliding second, books a payment once however often it is called, fails as the"
            + " options say, and counts every call.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:stopped", "2:wrong usage, or the port or the file cannot be used"})
public final class DownstreamCommand implements Callable<Integer> {
  private static final int DEFAULT_PORT = 8090;

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "port to listen on, 0 for a free one (default: ${DEFAULT-VALUE})")
  private int port = DEFAULT_PORT;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description = "address to listen on (default: ${DEFAULT-VALUE})")
  private String host = "127.0.0.1";

  @Option(
      names = "--ceiling",
      paramLabel = "CALLS",
      description =
          "max calls in any sliding second; further ones get 429 (default: ${DEFAULT-VALUE})")
  private int ceiling = SimulatorSettings.DEFAULT_CEILING;

  @Option(
      names = "--latency-millis",
      paramLabel = "MS",
      description =
          "mean time to answer; each answer takes between half and one and a half of it (default:"
              + " ${DEFAULT-VALUE})")
  private long latencyMillis = 20;

  @Option(
      names = "--reject-percent",
      paramLabel = "PERCENT",
      description = "share of payments that are refused for good (default: ${DEFAULT-VALUE})")
  private double rejectPercent;

  @Option(
      names = "--error-percent",
      paramLabel = "PERCENT",
      description =
          "share of calls that end with a 5xx status and book nothing (default: ${DEFAULT-VALUE})")
  private double errorPercent;

  @Option(
      names = "--timeout-percent",
      paramLabel = "PERCENT",
      description =
          "share of calls without an answer; half of them book the payment (default:"
              + " ${DEFAULT-VALUE})")
  private double timeoutPercent;

  @Option(
      names = "--lost-percent",
      paramLabel = "PERCENT",
      description =
          "share of calls that book the payment and lose the answer (default: ${DEFAULT-VALUE})")
  private double lostPercent;

  @Option(
      names = "--silence-millis",
      paramLabel = "MS",
      description =
          "how long a call without an answer stays open before its connection is closed (default:"
              + " ${DEFAULT-VALUE})")
  private long silenceMillis = 30_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description =
          "the same seed fails the same attempts of the same payments (default: ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--max-payments",
      paramLabel = "N",
      description =
          "number of payments that it remembers; calls for further ones fail (default:"
              + " ${DEFAULT-VALUE})")
  private int maxPayments = SimulatorSettings.DEFAULT_MAX_PAYMENTS;

  @Option(
      names = "--calls",
      paramLabel = "FILE",
      description =
          "where every call is recorded, a line each, for 'weir payments report'; payments in a"
              + " file that exists stay booked (default: calls are only counted)")
  private @Nullable Path calls;

  @Override
  public Integer call() throws InterruptedException {
    SimulatorSettings settings = settings();
    try (DownstreamSimulator simulator = simulator(settings);
        DownstreamServer server =
            DownstreamServer.start(new InetSocketAddress(host, port), simulator)) {
      PrintWriter out = spec.commandLine().getOut();
      greet(out, server.address());
      // On Ctrl-C the main thread never returns; the counts are printed by this one.
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> summarize(out, simulator), "downstream-summary"));
      new CountDownLatch(1).await();
      return 0;
    } catch (IOException failed) {
      spec.commandLine().getErr().println("weir: " + FileProblem.text(failed));
      return 2;
    }
  }

  private SimulatorSettings settings() {
    if (port < 0 || port > 65_535) {
      throw new ParameterException(
          spec.commandLine(), "--port must be between 0 and 65535, not " + port);
    }
    try {
      return new SimulatorSettings(
          ceiling,
          Duration.ofMillis(latencyMillis),
          Duration.ofMillis(silenceMillis),
          new SimulatorSettings.Faults(
              rejectPercent / 100, errorPercent / 100, timeoutPercent / 100, lostPercent / 100),
          seed,
          maxPayments);
    } catch (IllegalArgumentException invalid) {
      throw new ParameterException(spec.commandLine(), invalid.getMessage(), invalid);
    }
  }

  private DownstreamSimulator simulator(SimulatorSettings settings) throws IOException {
    return calls == null
        ? DownstreamSimulator.inMemory(settings, DownstreamSimulator.steadyClock())
        : DownstreamSimulator.recording(settings, DownstreamSimulator.steadyClock(), calls);
  }

  private static void greet(PrintWriter out, URI address) {
    out.printf(
        """

        The payment API is up: %1$s

        Its counts:   %1$s/summary
        As a chart:   %1$s/report.svg
        Stop:         Ctrl-C

        """,
        address);
    out.flush();
  }

  private static void summarize(PrintWriter out, DownstreamSimulator simulator) {
    out.print(
        ReportText.of(
            List.of(
                new ReportSection(
                    "Calls until now",
                    simulator.settings().ceiling(),
                    simulator.statistics(),
                    Optional.empty()))));
    out.flush();
  }
}
