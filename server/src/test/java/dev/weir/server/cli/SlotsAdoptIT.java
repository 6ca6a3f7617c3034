package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.cli.CommandRun;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events of another system are taken over from files and from its tables in PostgreSQL. */
@Timeout(900)
final class SlotsAdoptIT {
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
  void takesOverAFileOnceAndSaysWhatItRejects() throws IOException {
    StringBuilder lines = new StringBuilder("EVENT_ID,State,scheduled_time\r\n");
    for (int i = 0; i < 2_500; i++) {
      lines.append("\"csv,%d\",ASSIGNED,2031-01-01T00:%02d:%02d.5Z%n".formatted(i, i / 60, i % 60));
    }
    lines.append("\"csv,1\",,2031-01-01T00:00:00Z\n");
    Path feed = Files.writeString(folder.resolve("old.csv"), lines);

    CommandRun first = weir(feed.toString());
    assertThat(first.err()).doesNotContain("weir:");
    assertThat(first.out().lines())
        .contains("adopted   2,500", "replayed  0")
        .contains("rejected  1, see " + feed + ".rejects.ndjson")
        .contains("first     2031-01-01T00:00:00.500Z", "last      2031-01-01T00:41:39.500Z");
    assertThat(first.code()).isEqualTo(1);
    assertThat(Files.readAllLines(Path.of(feed + ".rejects.ndjson")))
        .singleElement()
        .asString()
        .contains("\"line\":2502", "event-exists");

    assertThat(weir(feed.toString()).out().lines()).contains("adopted   0", "replayed  2,500");
  }

  @Test
  void refusesAWindowThatIsFullUnlessItIsToldOtherwise() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 120; i++) {
      lines.append(
          "{\"eventId\":\"full-%d\",\"scheduledTime\":\"2032-01-01T00:00:01Z\"}%n".formatted(i));
    }
    Path feed = Files.writeString(folder.resolve("old.ndjson"), lines);

    assertThat(weir(feed.toString()).out().lines())
        .contains("adopted   100")
        .anyMatch(line -> line.startsWith("rejected  20, see "));
    assertThat(weir(feed.toString(), "--overfull", "accept").out().lines())
        .contains(
            "adopted   20",
            "replayed  100",
            "rejected  0 (" + feed + ".rejects.ndjson is of an earlier run)");
  }

  @Test
  void takesOverTheRowsOfAQuery() throws IOException, SQLException {
    String url =
        "jdbc:postgresql://127.0.0.1:%s/postgres?user=weir&password=%s"
            .formatted(
                Files.readString(data.resolve("port")).strip(),
                Files.readString(data.resolve("password")).strip());
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table rl_event_slot_dtl (event_id text, scheduled_time timestamptz,"
              + " requested_time timestamp, state text)");
      statement.execute(
          "insert into rl_event_slot_dtl values"
              + " ('row-1', '2033-01-01T00:00:01.234567Z', '2033-01-01T00:59:00', 'CONFIRMED'),"
              + " ('row-2', '2033-01-01T00:00:02+01', null, null)");
    }
    Path answers = folder.resolve("answers.ndjson");

    CommandRun run =
        weir(
            "--db",
            url,
            "--query",
            "select * from rl_event_slot_dtl order by event_id",
            "--zone",
            "Europe/Berlin",
            "--rejects",
            folder.resolve("rejects.ndjson").toString(),
            "--out",
            answers.toString());

    assertThat(run.err()).doesNotContain("weir:");
    assertThat(run.code()).isZero();
    assertThat(run.out().lines()).contains("adopted   2", "rejected  0");
    List<String> slots = Files.readAllLines(answers);
    assertThat(slots.getFirst())
        .contains(
            "\"requestedTime\":\"2032-12-31T23:59:00Z\"",
            "\"scheduledTime\":\"2033-01-01T00:00:01.234567Z\"",
            "\"state\":\"confirmed\"");
    assertThat(slots.getLast())
        .contains("\"scheduledTime\":\"2032-12-31T23:00:02Z\"", "\"state\":\"assigned\"");

    assertThat(weir("--db", url, "--query", "select event_id from rl_event_slot_dtl").err())
        .startsWith("weir: query: there is no column scheduledTime: event_id");
    assertThat(weir("--db", url, "--query", "select 1 from nothing_of_that_name").err())
        .startsWith("weir: query: the database says: ")
        .hasLineCount(1);
  }

  @Test
  void refusesOptionsThatDoNotGoTogether() throws IOException {
    Path feed = Files.writeString(folder.resolve("old.csv"), "eventId,scheduledTime,colour\n");
    assertThat(weir(feed.toString()).err()).contains("unknown, or there twice: colour");
    assertThat(weir(feed.toString(), "--overfull", "perhaps").code()).isEqualTo(2);
    assertThat(weir().err()).contains("name either a FEED, or --query and --db");
    assertThat(weir(feed.toString(), "--db", "jdbc:x:y", "--query", "select 1").code())
        .isEqualTo(2);
    Path known = Files.writeString(folder.resolve("known.csv"), "eventId,scheduledTime\n");
    assertThat(weir(known.toString(), "--config", "nobody").out()).contains("adopted   0");
    Files.writeString(known, "eventId,scheduledTime\na,2031-01-01T00:00:00Z\n");
    assertThat(weir(known.toString(), "--config", "nobody").err())
        .contains("There is no configuration \"nobody\".");
  }

  private static CommandRun weir(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "adopt";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--url";
    all[arguments.length + 2] = node.address().toString();
    return CommandRun.of(new SlotsCommand(), all);
  }
}
