package dev.weir.benchmarks.stores;

import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.surrealdb.SurrealDb;
import dev.weir.store.surrealdb.SurrealDbLimitStore;
import dev.weir.store.surrealdb.SurrealDbSettings;
import dev.weir.store.tck.internal.Crowd;
import dev.weir.store.tck.internal.SurrealServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/**
 * Token buckets in SurrealDB on RocksDB against reading the tokens and then writing one less, on
 * the same engine: decisions per second, and how many of a thousand tokens are granted.
 */
final class SurrealDbCase {
  static final String NAME = "surrealdb";

  private static final int CALLERS = 64;
  private static final int TOKENS = 1_000;
  private static final double TARGET = 3;
  private static final long PLENTY = 1_000_000_000L;

  /** Slow enough that taken tokens do not come back during the measurement. */
  private static final Duration REFILL = Duration.ofDays(300);

  private SurrealDbCase() {}

  static Suite.Outcome run(Suite.Request request) throws Exception {
    if (!SurrealServer.isAvailable()) {
      request.progress().accept("stores: left out, " + SurrealServer.MISSING);
      return new Suite.Outcome(Map.of(), List.of());
    }
    try (SurrealServer server = SurrealServer.start(SurrealServer.Storage.ROCKSDB);
        SurrealDb database = SurrealDb.open(settings(server));
        PlainSurrealDb plain = PlainSurrealDb.on(server)) {
      database.check();
      SurrealDbLimitStore store = new SurrealDbLimitStore(database);
      List<Row> rows = new ArrayList<>();
      for (int keys : List.of(1, 1_000)) {
        rows.addAll(throughput(request, store, plain, keys));
      }
      rows.addAll(exactness(request, store, plain));
      return new Suite.Outcome(Map.of("SurrealDB", "3.0.2 for Node.js, RocksDB"), rows);
    }
  }

  private static SurrealDbSettings settings(SurrealServer server) {
    return SurrealDbSettings.of(server.uri(), SurrealServer.NAMESPACE, SurrealServer.DATABASE)
        .withUser(
            new SurrealDbSettings.User(
                SurrealServer.USER, SurrealServer.PASSWORD, SurrealDbSettings.Level.DATABASE))
        .withTimeout(Duration.ofSeconds(30));
  }

  private static List<Row> throughput(
      Suite.Request request, SurrealDbLimitStore store, PlainSurrealDb plain, int keys)
      throws Exception {
    String scenario = "SurrealDB, %d callers, %,d keys".formatted(CALLERS, keys);
    request.progress().accept("stores: " + scenario);
    LoadRun load =
        request.quick()
            ? new LoadRun(CALLERS, Duration.ofSeconds(2), Duration.ofSeconds(4))
            : new LoadRun(CALLERS, Duration.ofSeconds(4), Duration.ofSeconds(10));
    Policy policy = Policy.of(UUID.randomUUID().toString(), TokenBucket.of(PLENTY, REFILL));
    plain.create(keys, PLENTY);
    Rounds<Load> rounds =
        Rounds.interleaved(
            request.quick() ? 1 : 3,
            () -> load.of((caller, turn) -> store.take(policy, "k" + random(keys), 1)),
            () -> load.of((caller, turn) -> plain.take(random(keys))));
    Load subject = Load.median(rounds.subject());
    Load peer = Load.median(rounds.peer());
    return List.of(
        row(scenario + ", throughput", "decisions/s", subject.perSecond(), peer.perSecond()),
        new Row(
            "stores",
            scenario + ", p99",
            "weir",
            subject.p99Millis(),
            "ms",
            new Row.Against(PlainSurrealDb.TITLE, peer.p99Millis(), new Row.Untargeted())));
  }

  private static Row row(String scenario, String unit, double value, double peerValue) {
    return new Row(
        "stores",
        scenario,
        "weir",
        value,
        unit,
        new Row.Against(PlainSurrealDb.TITLE, peerValue, new Row.AtLeast(TARGET)));
  }

  private static int random(int keys) {
    return ThreadLocalRandom.current().nextInt(keys);
  }

  /** Counts how many of the tokens are granted: more than there are are errors. */
  private static List<Row> exactness(
      Suite.Request request, SurrealDbLimitStore store, PlainSurrealDb plain) {
    String scenario = "SurrealDB, %d callers, granted of %,d tokens".formatted(CALLERS, TOKENS);
    request.progress().accept("stores: " + scenario);
    Policy policy = Policy.of(UUID.randomUUID().toString(), TokenBucket.of(TOKENS, REFILL));
    plain.create(1, TOKENS);
    long granted = granted(caller -> store.take(policy, "k", 1));
    long byPlain = granted(caller -> plain.take(0));
    return List.of(
        Row.alone("stores", scenario, "weir", (double) granted, "tokens"),
        Row.alone("stores", scenario, PlainSurrealDb.TITLE, (double) byPlain, "tokens"));
  }

  private static long granted(Predicate<Integer> take) {
    List<Long> counts =
        Crowd.concurrently(
            CALLERS,
            caller -> {
              long count = 0;
              while (take.test(caller)) {
                count++;
              }
              return count;
            });
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
