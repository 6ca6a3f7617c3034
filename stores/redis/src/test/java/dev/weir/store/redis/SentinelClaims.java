package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.Policy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A master that dies is replaced by its replica, and the store goes on there. */
interface SentinelClaims {
  Policy<TokenBucket> TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofHours(1)));

  RedisProgram program();

  @Test
  default void storeFollowsTheMaster() throws InterruptedException {
    RedisProgram program = program();
    try (RedisServer master = RedisServer.start(program);
        RedisServer replica =
            RedisServer.start(
                program, "--replicaof", "127.0.0.1", Integer.toString(master.port()));
        RedisServer sentinel = RedisServer.startSentinel(program, master.port());
        Redis redis =
            Redis.open(
                RedisSettings.of("redis-sentinel://127.0.0.1:" + sentinel.port() + "#main")
                    .withCommandTimeout(Servers.PATIENCE))) {
      waitUntil(sentinel, "SENTINEL REPLICAS main", Integer.toString(replica.port()));
      waitUntil(replica, "INFO replication", "master_link_status:up");
      RedisLimitStore store = new RedisLimitStore(redis);
      assertThat(store.decide(TEN, "k", 4).remaining()).isEqualTo(6);
      assertThat(master.ask("WAIT 1 10000")).startsWith(":1");
      waitUntil(replica, "DBSIZE", ":1");

      master.kill();
      // The replica knows what was used: the script's effects were replicated, not the script.
      assertThat(RedisFaults.eventually(() -> store.decide(TEN, "k", 4)).remaining()).isEqualTo(2);
      assertThat(replica.ask("ROLE")).contains("master");
    }
  }

  private static void waitUntil(RedisServer server, String question, String answer) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!server.ask(question).contains(answer)) {
      if (System.nanoTime() > deadlineNanos) {
        throw new AssertionError(question + ": " + server.ask(question));
      }
      Thread.onSpinWait();
    }
  }
}
