package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.ServerProcess;
import dev.weir.benchmarks.Suite;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A feed through the batch API of a server with a heap of 256 MB, over HTTP, against a plain COPY
 * of the same rows that it wrote.
 */
record BulkCase() implements SlotsSuite.Case {
  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    int events = effort.bulkEvents();
    List<Double> feeds = new ArrayList<>();
    List<Double> copies = new ArrayList<>();
    Path feed = Files.createTempFile("weir-feed", ".ndjson");
    try (ServerProcess server = ServerProcess.start("-Xmx256m", settings(database))) {
      for (int round = 0; round < Math.max(2, effort.rounds()); round++) {
        request.progress().accept("slots: a feed of %,d events, round %d".formatted(events, round));
        write(feed, round, events);
        database.execute(
            "truncate slot, slot_window, full_run; update slot_config set seq = seq + 1;");
        database.execute("checkpoint");
        double seconds = BatchClient.send(server.address(), feed, events);
        double copied = copy(database);
        // The first feed warms the server up.
        if (round > 0) {
          feeds.add(seconds);
          copies.add(copied);
        }
      }
    } finally {
      Files.delete(feed);
    }
    double seconds = Rounds.median(feeds);
    double copied = Rounds.median(copies);
    String scenario = "feed of %,d events over HTTP, heap 256 MB".formatted(events);
    return List.of(
        new Row(
            "slots",
            scenario,
            "weir",
            seconds,
            "s",
            new Row.Against("COPY of the same rows", copied, new Row.AtMost(2))),
        Row.alone("slots", scenario + ", rate", "weir", events / seconds, "slots/s"));
  }

  private static double copy(BenchDatabase database) throws Exception {
    try (HikariDataSource pool = database.pool();
        CopyBaseline baseline = CopyBaseline.of(pool, "slot", CopyBaseline.Format.TEXT)) {
      return baseline.measure().seconds();
    }
  }

  private static Map<String, String> settings(BenchDatabase database) {
    return Map.of(
        "WEIR_DB_URL", database.url(),
        "WEIR_DB_USER", database.user(),
        "WEIR_DB_PASSWORD", database.password());
  }

  private static void write(Path feed, int round, int events) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(feed)) {
      for (int i = 0; i < events; i++) {
        out.write(
            "{\"eventId\":\"pay-%d-%07d\",\"configName\":\"default\",\"requestedTime\":\"2026-06-01T12:00:00Z\"}\n"
                .formatted(round, i));
      }
    }
  }
}
