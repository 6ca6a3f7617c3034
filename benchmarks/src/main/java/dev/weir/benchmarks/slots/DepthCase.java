package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.slots.SlotRequest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A single caller behind few and behind very many full windows: the cost must be the same. */
record DepthCase() implements SlotsSuite.Case {
  private static final int FEW_WINDOWS = 10;
  private static final int STEP = 4_000;
  private static final Duration WINDOW = Duration.ofSeconds(1);
  private static final Instant REQUESTED = Instant.parse("2026-06-01T12:00:00Z");

  @Override
  public List<Row> run(BenchDatabase database, Effort effort, Suite.Request request)
      throws Exception {
    int many = effort.deepWindows();
    request.progress().accept("slots: %,d full windows ahead".formatted(many));
    try (HikariDataSource pool = database.weirPool()) {
      Weir postgresql = Weir.onPostgresql(pool);
      fill(database, postgresql, "few", FEW_WINDOWS);
      fill(database, postgresql, "deep", many);
      database.execute("analyze slot_window; checkpoint");
      Weir memory = Weir.inMemory();
      fill(memory, "few", FEW_WINDOWS);
      fill(memory, "deep", many);
      return List.of(
          row("PostgreSQL", postgresql, effort, many), row("memory", memory, effort, many));
    }
  }

  /** Creates full windows of one place each, as assigning slots would have left them. */
  private static void fill(BenchDatabase database, Weir weir, String name, int windows)
      throws SQLException {
    weir.configure(name, 1, WINDOW);
    long micros = REQUESTED.getEpochSecond() * 1_000_000;
    database.execute(
        """
        insert into slot_window (config_id, grid, start_micros, taken, off_grid, is_full, places)
        select c.config_id, c.grid, %1$d + n * 1000000::bigint, 1, 0, true, '\\x01'
        from slot_config c, generate_series(0, %2$d - 1) as n where c.name = '%3$s';
        insert into full_run (config_id, grid, from_micros, until_micros)
        select c.config_id, c.grid, %1$d, %1$d + %2$d * 1000000::bigint
        from slot_config c where c.name = '%3$s';
        update slot_config set seq = seq + 1 where name = '%3$s';
        """
            .formatted(micros, windows, name));
  }

  private static void fill(Weir weir, String name, int windows) {
    weir.configure(name, 1, WINDOW);
    for (int from = 0; from < windows; from += STEP) {
      weir.assignAll(
          IntStream.range(from, Math.min(windows, from + STEP))
              .mapToObj(i -> new SlotRequest(name + "-fill-" + i, name, REQUESTED))
              .toList());
    }
  }

  private static Row row(String store, Weir weir, Effort effort, int many) throws Exception {
    LoadRun load = effort.load(1);
    AtomicInteger run = new AtomicInteger();
    Rounds<Load> rounds =
        Rounds.interleaved(
            effort.rounds(),
            () -> load(weir, load, "deep", run.incrementAndGet()),
            () -> load(weir, load, "few", run.incrementAndGet()));
    return new Row(
        "slots",
        "finding the window, " + store + ", mean",
        "weir, %,d full windows".formatted(many),
        microsEach(Load.median(rounds.subject())),
        "µs",
        new Row.Against(
            "weir, " + FEW_WINDOWS + " full windows",
            microsEach(Load.median(rounds.peer())),
            new Row.AtMost(1.5)));
  }

  private static Load load(Weir weir, LoadRun load, String name, int run) throws Exception {
    String prefix = name + "-" + run + "-";
    return load.of((caller, turn) -> weir.assign(name, prefix + turn, REQUESTED));
  }

  private static double microsEach(Load load) {
    return 1e6 / load.perSecond();
  }
}
