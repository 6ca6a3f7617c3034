package dev.weir.benchmarks.limits;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Machine;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Token buckets in PostgreSQL against Bucket4j on the same database, with pools of one size: one
 * hot key, many keys, a single caller, and a key whose bucket is empty.
 */
final class PostgresqlCase implements LimitsCase {
  private static final int CROWD = 64;
  private static final int MANY_KEYS = 100_000;
  private static final long PLENTY = 1_000_000_000L;

  /** Slow enough that taken tokens do not come back during the measurement. */
  private static final Duration REFILL = Duration.ofDays(300);

  @Override
  public String name() {
    return "postgresql";
  }

  /**
   * The load of a scenario.
   *
   * @param min the min ratio to each peer, 0 for none
   */
  private record Scene(String title, int callers, int keys, long capacity, double min) {
    String key(String run) {
      return keys == 1 ? run : run + "-" + ThreadLocalRandom.current().nextInt(keys);
    }
  }

  private static final List<Scene> SCENES =
      List.of(
          new Scene("64 callers, one key", CROWD, 1, PLENTY, 5),
          new Scene("64 callers, 100,000 keys", CROWD, MANY_KEYS, PLENTY, 0),
          new Scene("64 callers, one empty bucket", CROWD, 1, 1, 0),
          new Scene("lonely caller", 1, 1, PLENTY, 0));

  @Override
  public Suite.Outcome run(Effort effort, Suite.Request request) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (BenchDatabase database = BenchDatabase.open(request.databaseUrl());
        HikariDataSource peerPool = database.pool();
        HikariDataSource weirPool = database.weirPool()) {
      JdbcLimitStore store = new JdbcLimitStore(weirPool);
      AtomicInteger runs = new AtomicInteger();
      for (Scene scene : SCENES) {
        request.progress().accept("limits on PostgreSQL: " + scene.title());
        LoadRun load = effort.load(scene.callers());
        Map<Bucket4jPostgresql.Way, List<Load>> peers = new EnumMap<>(Bucket4jPostgresql.Way.class);
        Rounds<Load> rounds =
            Rounds.interleaved(
                effort.rounds(),
                () -> weir(database, store, scene, load, "run-" + runs.incrementAndGet()),
                () -> {
                  for (Bucket4jPostgresql.Way way : Bucket4jPostgresql.Way.values()) {
                    peers
                        .computeIfAbsent(way, key -> new ArrayList<>())
                        .add(bucket4j(database, peerPool, way, scene, load));
                  }
                  return Objects.requireNonNull(peers.get(Bucket4jPostgresql.Way.ADVISORY_LOCK))
                      .getLast();
                });
        Load subject = Load.median(rounds.subject());
        peers.forEach((way, loads) -> rows.addAll(rows(scene, subject, way, Load.median(loads))));
      }
      return new Suite.Outcome(Machine.facts(peerPool), rows);
    }
  }

  private static Load weir(
      BenchDatabase database, JdbcLimitStore store, Scene scene, LoadRun load, String run)
      throws Exception {
    Policy policy = Policy.of("bench", TokenBucket.of(scene.capacity(), REFILL));
    database.execute("truncate limit_usage");
    database.execute("checkpoint");
    return load.of((caller, turn) -> store.take(policy, scene.key(run), 1));
  }

  private static Load bucket4j(
      BenchDatabase database,
      HikariDataSource pool,
      Bucket4jPostgresql.Way way,
      Scene scene,
      LoadRun load)
      throws Exception {
    Bucket4jPostgresql buckets =
        Bucket4jPostgresql.create(database, pool, way, scene.capacity(), REFILL);
    database.execute("checkpoint");
    return load.of((caller, turn) -> buckets.take(scene.key("run")));
  }

  private static List<Row> rows(Scene scene, Load subject, Bucket4jPostgresql.Way way, Load peer) {
    Row.Target target = scene.min() > 0 ? new Row.AtLeast(scene.min()) : new Row.Untargeted();
    return List.of(
        row(scene, "throughput", "decisions/s", subject.perSecond(), way, peer.perSecond(), target),
        row(scene, "p50", "ms", subject.p50Millis(), way, peer.p50Millis(), new Row.Untargeted()),
        row(scene, "p99", "ms", subject.p99Millis(), way, peer.p99Millis(), new Row.Untargeted()));
  }

  private static Row row(
      Scene scene,
      String what,
      String unit,
      double value,
      Bucket4jPostgresql.Way way,
      double peerValue,
      Row.Target target) {
    return new Row(
        "limits",
        "PostgreSQL, " + scene.title() + ", " + what,
        "weir",
        value,
        unit,
        new Row.Against(way.title, peerValue, target));
  }
}
