package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.limits.FixedWindow;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.StoreHistory;
import dev.weir.store.tck.limits.ComebackKit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis whose connections are cut, that is flushed, killed, or started from what it saved. */
abstract class RedisComeback implements ComebackKit {
  private static final Policy TEN = Policy.of("ten", FixedWindow.of(10, DAY));

  private final RedisProgram program;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final RememberedUse history = new RememberedUse();
  private RedisServer server;
  private Redis redis;

  RedisComeback(RedisProgram program) {
    this.program = program;
  }

  /** A history that outlives the nodes of a test. */
  private static final class RememberedUse implements StoreHistory {
    private boolean isUsed;

    @Override
    public synchronized void prepare(String store, Step step) {
      step.prepare(!isUsed);
      isUsed = true;
    }
  }

  @BeforeEach
  void start() {
    server = opened(RedisServer.start(program));
    redis = open();
  }

  @AfterEach
  void stop() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    opened.push(part);
    return part;
  }

  private Redis open() {
    Redis client =
        opened(
            Redis.open(
                RedisSettings.of(server.uri()).withCommandTimeout(Servers.PATIENCE), history));
    RedisFaults.eventually(() -> new RedisLimitStore(client).usage(TEN, "warm"));
    return client;
  }

  @Override
  public LimitStore limits() {
    return new RedisLimitStore(redis);
  }

  @Override
  public LeaseStore leases() {
    return new RedisLeaseStore(redis);
  }

  @Override
  public LimitStore limitsOfNewNode() {
    return new RedisLimitStore(open());
  }

  @Override
  public void comeBackUnchanged() {
    assertThat(server.ask("CLIENT KILL TYPE normal SKIPME yes")).startsWith(":");
    awaitAnswer();
  }

  @Override
  public void comeBackEmpty() {
    // Something was kept, or there would be nothing to lose.
    limits().take(TEN, "any", 1);
    server.kill();
    server.restart();
    awaitAnswer();
  }

  private void awaitAnswer() {
    RedisFaults.eventually(() -> limits().usage(TEN, "warm"));
  }

  private int granted(int asked) {
    return granted(limits(), asked);
  }

  private static int granted(LimitStore store, int asked) {
    int granted = 0;
    for (int i = 0; i < asked; i++) {
      granted += store.take(TEN, "k", 1) ? 1 : 0;
    }
    return granted;
  }

  @Test
  void flushedRedisGrantsNoMore() {
    assertThat(granted(4)).isEqualTo(4);
    assertThat(server.ask("FLUSHALL")).startsWith("+OK");
    assertThat(granted(20)).isZero();
  }

  @Test
  void nodeThatStartsAfterTheLossLearnsOfItFromItsHistory() {
    assertThat(granted(4)).isEqualTo(4);
    comeBackEmpty();
    // The only node that has seen it filled is gone as well.
    assertThat(granted(limitsOfNewNode(), 20)).isZero();
  }

  @Test
  void firstUseRefusesNothingOnTwoNodes() {
    RedisLimitStore other = new RedisLimitStore(open());
    assertThat(granted(5) + granted(other, 20)).isEqualTo(10);
  }

  @Test
  void restartThatKeepsEverythingRefusesNothing() {
    withSaved(
        List.of("--appendonly", "yes", "--appendfsync", "always"),
        (saved, store) -> {
          assertThat(granted(store, 4)).isEqualTo(4);
          saved.kill();
          saved.restart();
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isTrue();
          assertThat(granted(store, 20)).isEqualTo(5);
        });
  }

  @Test
  void restartFromAnOldSnapshotGrantsNoMore() {
    withSaved(
        List.of("--dbfilename", "old.rdb"),
        (saved, store) -> {
          assertThat(granted(store, 1)).isEqualTo(1);
          assertThat(saved.ask("SAVE")).startsWith("+OK");
          // The marker is written every second or so; the next one is not in the snapshot.
          String marker = saved.ask("GET weir:m");
          int granted = 1;
          while (granted < 9 && saved.ask("GET weir:m").equals(marker)) {
            granted += awaitSecond(saved, store);
          }
          assertThat(saved.ask("GET weir:m")).isNotEqualTo(marker);
          saved.kill();
          saved.restart();
          assertThat(RedisFaults.eventually(() -> store.take(TEN, "k", 1))).isFalse();
          assertThat(granted(store, 20)).isZero();
        });
  }

  /** Takes one after the clock of Redis has moved on by a second. */
  private static int awaitSecond(RedisServer saved, RedisLimitStore store) {
    long began = seconds(saved);
    while (seconds(saved) < began + 2) {
      Thread.onSpinWait();
    }
    return granted(store, 1);
  }

  private static long seconds(RedisServer saved) {
    return Long.parseLong(saved.ask("TIME").lines().toList().get(2));
  }

  /** What is to be done with a Redis that saves. */
  @FunctionalInterface
  private interface Scene {
    void play(RedisServer server, RedisLimitStore store);
  }

  private void withSaved(List<String> options, Scene scene) {
    try (RedisServer saved = RedisServer.start(program, options.toArray(String[]::new));
        Redis client =
            Redis.open(RedisSettings.of(saved.uri()).withCommandTimeout(Servers.PATIENCE))) {
      RedisLimitStore store = new RedisLimitStore(client);
      RedisFaults.eventually(() -> store.usage(TEN, "warm"));
      scene.play(saved, store);
    }
  }
}
