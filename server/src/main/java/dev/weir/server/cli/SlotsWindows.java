package dev.weir.server.cli;

import dev.weir.client.WindowPage;
import dev.weir.node.cli.ServerOptions;
import dev.weir.node.cli.Terminal;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows how full the windows are. */
@Command(
    name = "windows",
    description = "Draws how full the windows are, a row for each that is not empty.",
    mixinStandardHelpOptions = true)
final class SlotsWindows implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Mixin private final ForecastOptions range = new ForecastOptions();

  @Option(names = "--to", paramLabel = "TIME", description = "only windows before this time")
  private @Nullable String to;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "40",
      description = "maximum number of rows (default: 40)")
  private long limit;

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Optional<String>> more =
        Map.of("to", Optional.ofNullable(to), "limit", Optional.of(Long.toString(limit)));
    return range.ask(
        server,
        "/api/v1/slots/windows",
        more,
        answer -> draw(WindowPage.read(answer), Terminal.ofOutput(System.getenv()), server.out()));
  }

  static void draw(WindowPage page, Terminal terminal, PrintWriter out) {
    var rows = new BarChart(terminal, page.windowSize()).rows(page.windows());
    if (rows.isEmpty()) {
      out.println("No events ahead on configuration " + page.configName() + ".");
    }
    rows.forEach(out::println);
    page.next().ifPresent(next -> out.println("There may be more: --from " + next));
  }
}
