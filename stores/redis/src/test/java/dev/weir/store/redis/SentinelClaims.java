package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Claims that the store continues on the replica if the master dies, hangs or is demoted. */
interface SentinelClaims {
  Policy TEN = Policy.of("ten", TokenBucket.of(10, Duration.ofDays(1)));

  RedisProgram program();

  @Test
  default void storeFollowsTheMaster() {
    withSentinel(
        (master, replica, sentinel, store) -> {
          sentinel.hasten();
          master.kill();
          // The replica has the usage: the effects of the script are replicated, not the script.
          assertThat(remaining(store, "second")).isEqualTo(2);
          assertThat(replica.command("ROLE")).contains("master");
        });
  }

  @Test
  default void masterThatHangsIsLeftAndNotComeBackTo() {
    withSentinel(
        (master, replica, sentinel, store) -> {
          sentinel.hasten();
          master.signal("STOP");
          try {
            assertThat(remaining(store, "second")).isEqualTo(2);
            // The old master, which is not a replica yet, is not to take over again.
            sentinel.calm();
          } finally {
            master.signal("CONT");
          }
          // It considers itself the master until the Sentinel reconfigures it.
          AcquireRequest one = AcquireRequest.of(LimitRequest.of(TEN, "k")).withRequestId("id");
          AcquireResult answer = RedisFaults.eventually(() -> store.decide(one));
          assertThat(answer.decision().remaining()).isEqualTo(1);
        });
  }

  @Test
  default void masterThatIsDemotedIsLeft() {
    withSentinel(
        (master, replica, sentinel, store) -> {
          // A failover that was requested is not repeated when it has taken too long.
          sentinel.waitUntil("SENTINEL SET main failover-timeout 600000", "OK");
          sentinel.waitUntil("SENTINEL FAILOVER main", "OK");
          replica.waitUntil("ROLE", "master");
          // Before the Sentinel does it, which disconnects clients as well.
          master.waitUntil("REPLICAOF 127.0.0.1 " + replica.port(), "OK");
          assertThat(remaining(store, "second")).isEqualTo(2);
          assertThat(replica.command("ROLE")).contains("master");
        });
  }

  /** Returns what is left after a request for four permits, which is repeated until it succeeds. */
  private static long remaining(RedisLimitStore store, String requestId) {
    AcquireRequest four = AcquireRequest.of(new LimitRequest(TEN, "k", 4)).withRequestId(requestId);
    return RedisFaults.eventually(() -> store.decide(four)).decision().remaining();
  }

  /** A test with the servers and the store. */
  @FunctionalInterface
  interface Scene {
    void play(RedisServer master, RedisServer replica, RedisServer sentinel, RedisLimitStore store);
  }

  /** Runs a scene in which four of ten permits are taken, and the replica has them. */
  private void withSentinel(Scene scene) {
    RedisProgram program = program();
    try (RedisServer master = RedisServer.start(program);
        RedisServer replica =
            RedisServer.start(
                program, "--replicaof", "127.0.0.1", Integer.toString(master.port()));
        RedisServer sentinel = RedisServer.startSentinel(program, master.port());
        Redis redis =
            Redis.open(
                RedisSettings.of("redis-sentinel://127.0.0.1:" + sentinel.port() + "#main")
                    .withCommandTimeout(Duration.ofSeconds(2)))) {
      sentinel.waitUntil("SENTINEL REPLICAS main", Integer.toString(replica.port()));
      replica.waitUntil("INFO replication", "master_link_status:up");
      RedisLimitStore store = new RedisLimitStore(redis);
      assertThat(remaining(store, "first")).isEqualTo(6);
      replica.waitUntil("EXISTS weir:m weir:t:ten:{k}", ":2");
      scene.play(master, replica, sentinel, store);
    }
  }
}
