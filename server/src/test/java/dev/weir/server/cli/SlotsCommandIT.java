package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.cli.CommandRun;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands against a real node on a real PostgreSQL. */
@Timeout(900)
final class SlotsCommandIT {
  @TempDir static Path data;
  private static Node node;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, data.toString(),
                    StoreSetting.DB_WAIT, "PT2M",
                    ServerSetting.DRAIN, "PT0S"),
                Map.of(),
                Optional.empty()));
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void importsAFeedAndKeepsItsSlotsTheSecondTime() throws IOException {
    Path feed = folder.resolve("feed.csv");
    try (BufferedWriter writer = Files.newBufferedWriter(feed)) {
      writer.write("requestedTime,EventId\r\n");
      for (int event = 0; event < 20_000; event++) {
        writer.write("2031-01-01T00:00:00Z,\"csv,%d\"\r\n".formatted(event));
      }
    }
    Path answers = folder.resolve("answers.ndjson");

    CommandRun first = weir("import", feed.toString(), "--out", answers.toString());
    // On a machine with much to do it may come to tell how far it is.
    assertThat(first.err().lines()).allMatch(line -> line.contains("% of 0.7 MB"));
    assertThat(first.code()).isZero();
    assertThat(first.out().lines())
        .contains("assigned  20,000", "replayed  0", "rejected  0")
        .contains("first     2031-01-01T00:00:00Z")
        .anyMatch(line -> line.startsWith("last      2031-01-01T00:13:19."));
    List<String> slots = Files.readAllLines(answers);
    assertThat(slots).hasSize(20_000);
    assertThat(slots.get(7)).contains("\"eventId\":\"csv,7\"");

    CommandRun second = weir("import", feed.toString());
    assertThat(second.out().lines()).contains("assigned  0", "replayed  20,000");

    CommandRun windows = weir("windows", "--from", "2031-01-01T00:00:00Z", "--limit", "3");
    assertThat(windows.code()).isZero();
    assertThat(windows.out().lines())
        .hasSize(4)
        .anyMatch(
            line -> line.startsWith("2031-01-01T00:00:08Z") && line.endsWith("100/100  100 %"))
        .contains("There may be more: --from 2031-01-01T00:00:12Z");

    CommandRun forecast = weir("forecast", "--events", "1000", "--from", "2031-01-01T00:00:00Z");
    assertThat(forecast.code()).isZero();
    assertThat(forecast.out())
        .startsWith(
            "1,000 more events on configuration default would be through at 2031-01-01T00:13:59.")
        .contains("13 min 59 s after 2031-01-01T00:00:00Z");
    assertThat(weir("forecast", "--events", "5", "--json").out()).startsWith("{\"configName\":");
  }

  @Test
  void writesRejectedLinesWithTheirNumberAndProblem() throws IOException {
    Path feed =
        Files.writeString(
            folder.resolve("feed.ndjson"),
            """
            {"eventId":"mixed-1","requestedTime":"2032-01-01T00:00:00Z"}

            {"eventId":"mixed-2","requestedTime":"yesterday"}
            nonsense
            {"eventId":"mixed-3","configName":"nobody"}
            {"eventId":"mixed-4","requestedTime":"2032-01-01T00:00:00Z"}
            {"eventId":
            """);
    CommandRun run = weir("import", feed.toString());
    assertThat(run.code()).isEqualTo(1);
    Path rejects = Path.of(feed + ".rejects.ndjson");
    assertThat(run.out().lines()).contains("assigned  2", "rejected  4, see " + rejects);
    assertThat(Files.readAllLines(rejects))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("{\"line\":3,").contains("\"requestedTime\""),
            line -> assertThat(line).startsWith("{\"line\":4,\"text\":\"nonsense\""),
            line -> assertThat(line).startsWith("{\"line\":5,").contains("unknown-config"),
            line -> assertThat(line).startsWith("{\"line\":7,").contains("\"status\":400"));
  }

  @Test
  void usesTheGivenConfigurationForLinesThatNameNone() throws IOException {
    Path feed = Files.writeString(folder.resolve("feed.ndjson"), "{\"eventId\":\"named-1\"}\n");
    CommandRun run = weir("import", feed.toString(), "--config", "nobody");
    assertThat(run.code()).isEqualTo(1);
    assertThat(Files.readString(Path.of(feed + ".rejects.ndjson"))).contains("nobody");
  }

  @Test
  void printsTheServersProblemsInAFewLines() {
    CommandRun run = weir("windows", "--from", "yesterday", "--limit", "0");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("weir: Bad Request: "))
        .anyMatch(line -> line.startsWith("  from: "))
        .anyMatch(line -> line.startsWith("  limit: "));
    assertThat(weir("forecast", "--events", "1", "--config", "a b&c=d").err())
        .startsWith("weir: Bad Request: ")
        .contains("  configName: ");
    assertThat(weir("forecast", "--events", "1", "--config", "a.b").err())
        .startsWith("weir: Not Found: ")
        .contains("a.b");
    assertThat(weir("windows", "--from", "2040-01-01T00:00:00Z").out())
        .startsWith("No events ahead on configuration default.");
  }

  private static CommandRun weir(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--url";
    all[arguments.length + 1] = node.address().toString();
    return CommandRun.of(new SlotsCommand(), all);
  }
}
