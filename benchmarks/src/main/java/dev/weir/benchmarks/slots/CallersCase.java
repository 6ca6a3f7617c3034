package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.slots.SlotRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Callers that all request the same time of one backlogged configuration, against the usual design
 * of such tables. With one caller, no work can be shared.
 */
record CallersCase(int callers) implements SlotsSuite.Case {
  private static final int MAX_PER_WINDOW = 100;
  private static final int BACKLOG_WINDOWS = 100;
  private static final Duration REHEARSED = Duration.ofSeconds(3);
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Instant REQUESTED = Instant.parse("2026-06-01T12:00:00Z");

  /** The same backlog as one chunk of full counters. */
  private static final String FILL_USUAL =
      """
      insert into usual.frontier values (1, %1$d);
      insert into usual.slot_window
      select 1, %1$d + n * 4000000::bigint, %2$d, false from generate_series(0, %3$d - 1) as n
      """
          .formatted(REQUESTED.getEpochSecond() * 1_000_000, MAX_PER_WINDOW, BACKLOG_WINDOWS);

  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    String scenario = callers == 1 ? "lonely caller" : callers + " callers, one configuration";
    request.progress().accept("slots: " + scenario);
    LoadRun load = effort.load(callers);
    List<Row> rows = new ArrayList<>();
    try (HikariDataSource usualPool = database.pool();
        HikariDataSource weirPool = database.weirPool()) {
      Weir weir = Weir.onPostgresql(weirPool);
      AtomicInteger run = new AtomicInteger();
      // The case with many callers comes first, in a young JVM, but the steady state of both is
      // measured.
      if (callers > 1) {
        rehearse(database, weir, usualPool);
      }
      List<Load> tuned = new ArrayList<>();
      Rounds<Load> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> weir(database, weir, load, callers + "-" + run.incrementAndGet()),
              () -> {
                tuned.add(usual(database, usualPool, CounterRows.Style.TUNED, load));
                return usual(database, usualPool, CounterRows.Style.PLAIN, load);
              });
      Load subject = Load.median(rounds.subject());
      boolean many = callers > 1;
      rows.addAll(
          rows(
              scenario,
              subject,
              "usual table",
              Load.median(rounds.peer()),
              new Row.AtLeast(many ? 20 : 1),
              many ? new Row.AtMost(0.1) : new Row.Untargeted()));
      rows.addAll(
          rows(
              scenario,
              subject,
              "usual table, tuned",
              Load.median(tuned),
              new Row.Untargeted(),
              new Row.Untargeted()));
    }
    return rows;
  }

  private void rehearse(BenchDatabase database, Weir weir, HikariDataSource usualPool)
      throws Exception {
    LoadRun load = new LoadRun(callers, Duration.ZERO, REHEARSED);
    weir(database, weir, load, callers + "-rehearsed");
    for (CounterRows.Style style : CounterRows.Style.values()) {
      usual(database, usualPool, style, load);
    }
  }

  private static Load weir(BenchDatabase database, Weir weir, LoadRun load, String name)
      throws Exception {
    weir.configure(name, MAX_PER_WINDOW, WINDOW);
    for (int window = 0; window < BACKLOG_WINDOWS; window++) {
      String prefix = name + "-backlog-" + window + "-";
      weir.assignAll(
          IntStream.range(0, MAX_PER_WINDOW)
              .mapToObj(i -> new SlotRequest(prefix + i, name, REQUESTED))
              .toList());
    }
    database.execute("checkpoint");
    return load.of(
        (caller, turn) -> weir.assign(name, name + "-" + caller + "-" + turn, REQUESTED));
  }

  private static Load usual(
      BenchDatabase database, HikariDataSource pool, CounterRows.Style style, LoadRun load)
      throws Exception {
    UsualSchema.recreate(pool, style);
    UsualTable table = new UsualTable(pool, style, 1, MAX_PER_WINDOW, WINDOW);
    database.execute(FILL_USUAL);
    database.execute("checkpoint");
    return load.of((caller, turn) -> table.assign("pay-" + caller + "-" + turn, REQUESTED));
  }

  private static List<Row> rows(
      String scenario,
      Load subject,
      String peerName,
      Load peer,
      Row.Target throughput,
      Row.Target p99) {
    return List.of(
        row(
            scenario,
            "throughput",
            "slots/s",
            subject.perSecond(),
            peerName,
            peer.perSecond(),
            throughput),
        row(
            scenario,
            "p50",
            "ms",
            subject.p50Millis(),
            peerName,
            peer.p50Millis(),
            new Row.Untargeted()),
        row(scenario, "p99", "ms", subject.p99Millis(), peerName, peer.p99Millis(), p99));
  }

  private static Row row(
      String scenario,
      String what,
      String unit,
      double value,
      String peer,
      double peerValue,
      Row.Target target) {
    return new Row(
        "slots",
        scenario + ", " + what,
        "weir",
        value,
        unit,
        new Row.Against(peer, peerValue, target));
  }
}
