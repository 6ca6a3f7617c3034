package dev.weir.payments.server.cli;

import dev.weir.node.cli.ServerOptions;
import dev.weir.node.settings.FileProblem;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallTally;
import dev.weir.payments.simulator.calls.RecordedCalls;
import dev.weir.payments.simulator.report.ReportChart;
import dev.weir.payments.simulator.report.ReportSection;
import dev.weir.payments.simulator.report.ReportText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the report about calls that {@code weir downstream} recorded. */
@Command(
    name = "report",
    description =
        "Writes a report about calls of the payment API: a summary to print or to hand on, and a"
            + " chart with the ceiling drawn in. The calls are those that 'weir downstream --calls'"
            + " recorded, or with --feed those that the nodes of a server recorded for a feed. With"
            + " several files, such as one for each kind of ceiling, it shows them one below the"
            + " other.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:no sliding second was above the ceiling; with --feed, the report is written",
      "1:one was, or the server refused",
      "2:wrong usage, or a file cannot be read or written",
      "3:the server cannot be reached"
    })
final class PaymentsReport implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(paramLabel = "CALLS", arity = "0..*", description = "files of recorded calls")
  private List<Path> files = List.of();

  @Option(
      names = "--feed",
      paramLabel = "ID",
      description = "a feed of the server, with the ceiling of its settings, in place of files")
  private @Nullable String feedId;

  @Option(
      names = "--ceiling",
      paramLabel = "CALLS",
      description = "the ceiling to compare with (default: ${DEFAULT-VALUE})")
  private int ceiling = SimulatorSettings.DEFAULT_CEILING;

  @Option(
      names = "--title",
      paramLabel = "TEXT",
      description = "heading, once for each file (default: the name of the file)")
  private List<String> titles = List.of();

  @Option(names = "--svg", paramLabel = "FILE", description = "where the chart goes")
  private @Nullable Path svg;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "where the summary goes (default: standard output)")
  private @Nullable Path markdown;

  @Override
  public Integer call() throws InterruptedException {
    if (files.isEmpty() == (feedId == null)) {
      throw new ParameterException(spec.commandLine(), "name either files of CALLS or a --feed");
    }
    if (feedId != null) {
      return ofFeed(feedId);
    }
    if (ceiling < 1) {
      throw new ParameterException(
          spec.commandLine(), "--ceiling must be at least 1, not " + ceiling);
    }
    if (!titles.isEmpty() && titles.size() != files.size()) {
      throw new ParameterException(
          spec.commandLine(), "--title must be given once for each file, or not at all");
    }
    try {
      List<ReportSection> sections = sections();
      write(sections);
      return sections.stream().allMatch(section -> section.calls().within(ceiling)) ? 0 : 1;
    } catch (IOException failed) {
      spec.commandLine().getErr().println("weir: " + FileProblem.text(failed));
      return 2;
    }
  }

  private int ofFeed(String id) throws InterruptedException {
    return server.run(
        client -> {
          try {
            if (svg != null) {
              Files.writeString(svg, client.payments().chart(id));
            }
            if (markdown != null) {
              Files.writeString(markdown, client.payments().report(id));
            } else {
              server.out().print(client.payments().report(id));
              server.out().flush();
            }
          } catch (IOException failed) {
            server.complain(FileProblem.text(failed));
            return ServerOptions.USAGE;
          }
          return ServerOptions.OK;
        });
  }

  private List<ReportSection> sections() throws IOException {
    List<ReportSection> sections = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      CallTally tally = new CallTally();
      RecordedCalls.read(files.get(i), tally::add);
      String title = titles.isEmpty() ? files.get(i).toString() : titles.get(i);
      sections.add(new ReportSection(title, ceiling, tally.statistics(), Optional.empty()));
    }
    return sections;
  }

  private void write(List<ReportSection> sections) throws IOException {
    if (svg != null) {
      Files.writeString(svg, ReportChart.of(sections));
    }
    if (markdown != null) {
      Files.writeString(markdown, ReportText.of(sections));
    } else {
      spec.commandLine().getOut().print(ReportText.of(sections));
      spec.commandLine().getOut().flush();
    }
  }
}
