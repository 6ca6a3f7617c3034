package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The same callers on sixteen configurations and on one. */
record ManyConfigsCase() implements SlotsSuite.Case {
  private static final int CALLERS = 64;
  private static final int CONFIGS = 16;
  private static final Instant REQUESTED = Instant.parse("2026-06-01T12:00:00Z");

  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    request.progress().accept("slots: " + CONFIGS + " configurations at once");
    LoadRun load = effort.load(CALLERS);
    try (HikariDataSource pool = database.weirPool()) {
      Weir weir = Weir.onPostgresql(pool);
      AtomicInteger run = new AtomicInteger();
      Rounds<Load> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> load(database, weir, load, CONFIGS, "many-" + run.incrementAndGet()),
              () -> load(database, weir, load, 1, "one-" + run.incrementAndGet()));
      return List.of(
          new Row(
              "slots",
              "64 callers, 16 configurations, throughput",
              "weir, 16 configurations",
              Load.median(rounds.subject()).perSecond(),
              "slots/s",
              new Row.Against(
                  "weir, 1 configuration",
                  Load.median(rounds.peer()).perSecond(),
                  new Row.AtLeast(1))));
    }
  }

  private static Load load(
      BenchDatabase database, Weir weir, LoadRun load, int configs, String prefix)
      throws Exception {
    for (int i = 0; i < configs; i++) {
      weir.configure(prefix + "-" + i, 100, Duration.ofSeconds(4));
    }
    database.execute("checkpoint");
    return load.of(
        (caller, turn) ->
            weir.assign(
                prefix + "-" + caller % configs, prefix + "-" + caller + "-" + turn, REQUESTED));
  }
}
