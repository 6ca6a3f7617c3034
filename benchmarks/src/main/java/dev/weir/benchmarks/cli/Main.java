package dev.weir.benchmarks.cli;

import dev.weir.benchmarks.Machine;
import dev.weir.benchmarks.Report;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.dashboard.DashboardSuite;
import dev.weir.benchmarks.gateway.GatewaySuite;
import dev.weir.benchmarks.limits.LimitsSuite;
import dev.weir.benchmarks.notifications.NotificationsSuite;
import dev.weir.benchmarks.payments.PaymentsSuite;
import dev.weir.benchmarks.services.ServicesSuite;
import dev.weir.benchmarks.slots.SlotsSuite;
import dev.weir.benchmarks.stores.StoresSuite;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The benchmarks' command line: {@code bench SUITE [--quick] [--json FILE] [--db URL] [--only WORD]
 * [--gubernator PATH] [--limitador PATH] [--envoy-ratelimit PATH]}.
 *
 * <p>Exits with 0 after everything was measured, whether or not the targets were met: the table
 * shows that.
 */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures Weir against its peers on this machine.")
public final class Main implements Callable<Integer> {
  private static final List<Suite> SUITES =
      List.of(
          new SlotsSuite(),
          new LimitsSuite(),
          new GatewaySuite(),
          new NotificationsSuite(),
          new PaymentsSuite(),
          new ServicesSuite(),
          new StoresSuite(),
          new DashboardSuite());

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "SUITE",
      description =
          "what to measure: slots, limits, gateway, notifications, payments, services, stores,"
              + " dashboard")
  private String suiteName = "";

  @Option(names = "--quick", description = "a rougher run that ends within 90 seconds")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "also write one JSON line a row")
  private Optional<Path> json = Optional.empty();

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "a PostgreSQL to use (jdbc:postgresql://...) in place of the embedded one")
  private Optional<String> databaseUrl = Optional.empty();

  @Option(
      names = "--only",
      paramLabel = "WORD",
      description =
          "of limits, gateway, notifications, payments and stores, run only the cases whose name"
              + " contains the word")
  private Optional<String> only = Optional.empty();

  @Option(
      names = "--gubernator",
      paramLabel = "PATH",
      description = "for services: the program gubernator")
  private Optional<Path> gubernator = Optional.empty();

  @Option(
      names = "--limitador",
      paramLabel = "PATH",
      description = "for services: the program limitador-server")
  private Optional<Path> limitador = Optional.empty();

  @Option(
      names = "--envoy-ratelimit",
      paramLabel = "PATH",
      description = "for services: the program ratelimit of envoyproxy/ratelimit")
  private Optional<Path> envoyRatelimit = Optional.empty();

  /** Runs the command line and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Suite suite =
        SUITES.stream()
            .filter(candidate -> candidate.name().equals(suiteName))
            .findFirst()
            .orElseThrow(() -> new ParameterException(spec.commandLine(), unknownSuite()));
    PrintWriter progress = spec.commandLine().getErr();
    Suite.Outcome outcome =
        suite.run(
            new Suite.Request(
                quick,
                databaseUrl,
                only,
                programs(),
                line -> {
                  progress.println(line);
                  progress.flush();
                }));
    Map<String, String> facts = new LinkedHashMap<>(Machine.facts());
    facts.putAll(outcome.facts());
    Report report = new Report(facts, outcome.rows());
    report.print(spec.commandLine().getOut());
    if (json.isPresent()) {
      try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(json.get()))) {
        report.writeJsonLines(file);
        if (file.checkError()) {
          throw new IllegalStateException("could not write " + json.get());
        }
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private Map<String, Path> programs() {
    Map<String, Path> programs = new LinkedHashMap<>();
    gubernator.ifPresent(path -> programs.put("gubernator", path));
    limitador.ifPresent(path -> programs.put("limitador", path));
    envoyRatelimit.ifPresent(path -> programs.put("envoy-ratelimit", path));
    return programs;
  }

  private String unknownSuite() {
    return "no suite '"
        + suiteName
        + "', there is: "
        + SUITES.stream().map(Suite::name).collect(Collectors.joining(", "));
  }
}
