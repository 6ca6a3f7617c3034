package dev.weir.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
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

  @Option(names = "--config", paramLabel = "NAME", description = "the configuration")
  private @Nullable String configName;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "the first window, such as 2026-06-01T12:00:00Z (default: now)")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "only windows before this time")
  private @Nullable String to;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "40",
      description = "at most so many rows (default: 40)")
  private long limit;

  @Option(names = "--json", description = "print the server's answer as it is")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    return server.run(
        client -> {
          Map<String, Optional<String>> parameters = new LinkedHashMap<>();
          parameters.put("configName", Optional.ofNullable(configName));
          parameters.put("from", Optional.ofNullable(from));
          parameters.put("to", Optional.ofNullable(to));
          parameters.put("limit", Optional.of(Long.toString(limit)));
          byte[] answer = client.get("/api/v1/slots/windows", parameters);
          try {
            if (json) {
              server.out().println(new String(answer, StandardCharsets.UTF_8));
            } else {
              draw(WindowsPage.read(answer), Terminal.ofOutput(System.getenv()), server.out());
            }
          } catch (IOException other) {
            throw UnreachableException.notWeir(client.server(), other);
          }
          return ServerOptions.OK;
        });
  }

  static void draw(WindowsPage page, Terminal terminal, PrintWriter out) {
    var rows = new BarChart(terminal, page.windowSize()).rows(page.windows());
    if (rows.isEmpty()) {
      out.println("No events ahead on configuration " + page.configName() + ".");
    }
    rows.forEach(out::println);
    page.next().ifPresent(next -> out.println("There may be more: --from " + next));
  }
}
