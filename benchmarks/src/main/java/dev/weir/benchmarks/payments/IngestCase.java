package dev.weir.benchmarks.payments;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedMaker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A feed in a process with a heap of 256 MB: read, checked, stored, given slots, and handed to a
 * Temporal that costs nothing. Against the slots of as many events, in batches, and nothing else.
 */
record IngestCase() implements PaymentsSuite.Case {
  private static final String HEAP = "-Xmx256m";
  private static final double MAX_RATIO = 3;

  @Override
  public String name() {
    return "ingest";
  }

  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    Path feed = Files.createTempFile("weir-payments", ".csv");
    try {
      int records = effort.records();
      write(feed, records);
      Rounds<IngestProcess.Measured> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> measure(database, request, IngestProcess.Subject.FEED, feed, records),
              () -> measure(database, request, IngestProcess.Subject.SLOTS, feed, records));
      String scenario = "feed of %,d payments, heap 256 MB".formatted(records);
      double seconds = seconds(rounds.subject());
      List<Row> rows = new ArrayList<>();
      rows.add(
          new Row(
              "payments",
              scenario,
              "weir",
              seconds,
              "s",
              new Row.Against(
                  "slots in batches", seconds(rounds.peer()), new Row.AtMost(MAX_RATIO))));
      rows.add(Row.alone("payments", scenario + ", rate", "weir", records / seconds, "payments/s"));
      rows.add(
          Row.alone(
              "payments",
              scenario + ", of it receiving",
              "weir",
              Rounds.median(
                  rounds.subject().stream().map(IngestProcess.Measured::receiving).toList()),
              "s"));
      return rows;
    } finally {
      Files.delete(feed);
    }
  }

  private static double seconds(List<IngestProcess.Measured> measured) {
    return Rounds.median(measured.stream().map(IngestProcess.Measured::seconds).toList());
  }

  private static void write(Path feed, int records) throws IOException {
    try (OutputStream out = Files.newOutputStream(feed)) {
      var unused =
          FeedMaker.write(
              new FeedMaker.Settings(
                  FeedFormat.CSV, records, 1, Optional.empty(), Duration.ZERO, 0),
              out);
    }
  }

  private static IngestProcess.Measured measure(
      BenchDatabase database,
      Suite.Request request,
      IngestProcess.Subject subject,
      Path feed,
      int records)
      throws Exception {
    request.progress().accept("payments: %,d records, %s".formatted(records, subject));
    database.execute("drop schema public cascade; create schema public");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-cp",
                System.getProperty("java.class.path"),
                IngestProcess.class.getName(),
                subject.name(),
                database.url(),
                database.user(),
                database.password(),
                feed.toString(),
                Integer.toString(records))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("%s was not measured: %s".formatted(subject, out));
    }
    return IngestProcess.Measured.parse(out);
  }
}
