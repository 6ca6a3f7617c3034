package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.BenchRedis;
import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Callers that take tokens in Redis, from one bucket or from many, against Bucket4j and Redisson on
 * the same Redis. Nearly all requests are granted, which is the expensive case for all of them.
 *
 * @param keys the number of keys from which each call picks one
 */
record RedisCase(String name, int keys) implements LimitsCase {
  private static final int CALLERS = 64;
  private static final double TARGET = 3;
  private static final long CAPACITY = 1_000_000;
  private static final Duration UNTIL_FULL = Duration.ofSeconds(10);

  static final LimitsCase ONE_KEY = new RedisCase("redis, one key", 1);
  static final LimitsCase MANY_KEYS = new RedisCase("redis, 100k keys", 100_000);

  @Override
  public Suite.Outcome run(Effort effort, Suite.Request request) throws Exception {
    request.progress().accept("limits: " + name);
    try (BenchRedis redis = BenchRedis.start();
        RedisPeer weir = RedisPeer.Weir.on(redis.uri(), CAPACITY, UNTIL_FULL);
        RedisPeer bucket4j = RedisPeer.Bucket4j.on(redis.uri(), CAPACITY, UNTIL_FULL);
        RedisPeer.RedissonLimiter redisson =
            RedisPeer.RedissonLimiter.on(redis.uri(), CAPACITY, UNTIL_FULL)) {
      prepare(redisson);
      List<Load> redissonLoads = new ArrayList<>();
      Rounds<Load> rounds =
          Rounds.interleaved(
              effort.rounds(),
              () -> load(effort, weir),
              () -> {
                redissonLoads.add(load(effort, redisson));
                return load(effort, bucket4j);
              });
      Load subject = Load.median(rounds.subject());
      List<Row> rows = new ArrayList<>();
      rows.addAll(rows(subject, "Bucket4j", Load.median(rounds.peer())));
      rows.addAll(rows(subject, "Redisson", Load.median(redissonLoads)));
      return new Suite.Outcome(Map.of("Redis", redis.version()), rows);
    }
  }

  /** Stores each key's rate in Redis, which Redisson requires before its first use. */
  private void prepare(RedisPeer.RedissonLimiter redisson) {
    try (ExecutorService executor = Executors.newFixedThreadPool(CALLERS)) {
      for (int i = 0; i < keys; i++) {
        String key = key(i);
        executor.execute(() -> redisson.prepare(key));
      }
    }
  }

  private Load load(Effort effort, RedisPeer peer) throws InterruptedException {
    List<SplittableRandom> randoms = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      randoms.add(new SplittableRandom(caller));
    }
    return effort
        .load(CALLERS)
        .of((caller, turn) -> peer.take(key(randoms.get(caller).nextInt(keys))));
  }

  private static String key(int number) {
    return "user:" + number;
  }

  private List<Row> rows(Load subject, String peerName, Load peer) {
    return List.of(
        row(
            "throughput",
            "decisions/s",
            subject.perSecond(),
            peerName,
            peer.perSecond(),
            new Row.AtLeast(TARGET)),
        row("p50", "ms", subject.p50Millis(), peerName, peer.p50Millis(), new Row.Untargeted()),
        row("p99", "ms", subject.p99Millis(), peerName, peer.p99Millis(), new Row.Untargeted()));
  }

  private Row row(
      String what, String unit, double value, String peer, double peerValue, Row.Target target) {
    return new Row(
        "limits",
        "%s, %d callers, %s".formatted(name, CALLERS, what),
        "weir",
        value,
        unit,
        new Row.Against(peer, peerValue, target));
  }
}
