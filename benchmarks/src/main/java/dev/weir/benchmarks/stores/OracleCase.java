package dev.weir.benchmarks.stores;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.slots.Assignment;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.jdbc.slots.internal.JdbcSlotUpkeep;
import dev.weir.store.tck.internal.OracleStandIn;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Slots by the statements for Oracle, against counters of windows of the usual design. Both run on
 * the same H2 in its Oracle mode, in memory: no commit waits for a disk and no statement for a
 * network, which are what Weir saves most of on a real server.
 */
final class OracleCase {
  static final String NAME = "oracle";

  private static final int CALLERS = 64;
  private static final int CONNECTIONS = 30;
  private static final double TARGET = 5;
  private static final int MAX_PER_WINDOW = 100;
  private static final int PREPARED_WINDOWS = 20_000;
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Instant REQUESTED = Instant.parse("2026-06-01T12:00:00Z");
  private static final String SCENARIO =
      "Oracle's statements on H2, %d callers, one configuration, ".formatted(CALLERS);

  private OracleCase() {}

  static Suite.Outcome run(Suite.Request request) throws Exception {
    request.progress().accept("stores: slots by Oracle's statements on H2");
    String url = OracleStandIn.create();
    try (HikariDataSource weirPool =
            OraclePool.open(new PoolSettings(url, "", "", 5, CONNECTIONS, Duration.ofSeconds(10)));
        HikariDataSource usualPool = usualPool(url)) {
      OraclePool.migrate(weirPool);
      SlotConfigs configs = new JdbcSlotConfigs(Dialect.ORACLE, weirPool, StoreClock.DATABASE);
      SlotScheduler weir = scheduler(weirPool, configs);
      LoadRun load =
          request.quick()
              ? new LoadRun(CALLERS, Duration.ofSeconds(4), Duration.ofSeconds(6))
              : new LoadRun(CALLERS, Duration.ofSeconds(5), Duration.ofSeconds(10));
      Rounds<Load> rounds =
          Rounds.interleaved(
              request.quick() ? 1 : 3,
              () -> weir(weir, configs, load),
              () -> usual(usualPool, load));
      return new Suite.Outcome(
          Map.of("H2", "2.5 in Oracle mode, in memory"),
          rows(Load.median(rounds.subject()), Load.median(rounds.peer())));
    }
  }

  /** Borrowers commit explicitly, so nothing is switched when a connection is borrowed. */
  static HikariDataSource usualPool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setAutoCommit(false);
    // Callers that wait for each other are slow, but must not fail for that.
    config.setConnectionTimeout(Duration.ofMinutes(5).toMillis());
    return new HikariDataSource(config);
  }

  private static SlotScheduler scheduler(HikariDataSource pool, SlotConfigs configs) {
    return SlotScheduler.on(
        SlotStore.of(
            new JdbcSlotLedger(
                Dialect.ORACLE,
                pool,
                StoreClock.DATABASE,
                () -> ThreadLocalRandom.current().nextLong(),
                SlotObserver.NONE,
                SlotScheduler.Settings.DEFAULT.maxSideLanes()),
            configs,
            new JdbcSlotUpkeep(Dialect.ORACLE, pool, StoreClock.DATABASE),
            () -> {}));
  }

  private static Load weir(SlotScheduler weir, SlotConfigs configs, LoadRun load)
      throws InterruptedException {
    String name = UUID.randomUUID().toString();
    configs.configure(name, SlotPolicy.of(MAX_PER_WINDOW, WINDOW));
    return load.of(
        (caller, turn) -> {
          String eventId = name + "-" + caller + "-" + turn;
          if (!(weir.assign(new SlotRequest(eventId, name, REQUESTED))
              instanceof Assignment.Assigned)) {
            throw new IllegalStateException("no slot for " + eventId);
          }
        });
  }

  private static Load usual(HikariDataSource pool, LoadRun load) throws Exception {
    UsualCounters counters =
        UsualCounters.create(pool, MAX_PER_WINDOW, WINDOW, REQUESTED, PREPARED_WINDOWS);
    return load.of((caller, turn) -> counters.assign("pay-" + caller + "-" + turn, REQUESTED));
  }

  private static List<Row> rows(Load weir, Load usual) {
    return List.of(
        row("throughput", "slots/s", weir.perSecond(), usual.perSecond(), new Row.AtLeast(TARGET)),
        row("p50", "ms", weir.p50Millis(), usual.p50Millis(), new Row.Untargeted()),
        row("p99", "ms", weir.p99Millis(), usual.p99Millis(), new Row.Untargeted()));
  }

  private static Row row(String what, String unit, double weir, double usual, Row.Target target) {
    return new Row(
        "stores",
        SCENARIO + what,
        "weir",
        weir,
        unit,
        new Row.Against(UsualCounters.TITLE, usual, target));
  }
}
