package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChangeListenerTest {
  private static final Instant LATER = Instant.parse("2040-01-01T00:00:00Z");
  private static final String ALL = "all of them";

  private final Database database = Database.get();
  private final String name = "c-" + UUID.randomUUID();
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final JdbcSlotConfigs otherNode =
      new JdbcSlotConfigs(database.otherPool(), StoreClock.DATABASE);

  private ChangeListener listen() {
    return listen(database.pool(), heard::add, () -> heard.add(ALL));
  }

  private static ChangeListener listen(
      DataSource connections, Consumer<String> changed, Runnable allChanged) {
    return new ChangeListener(
        connections,
        Map.of(
            Channel.SLOT_CONFIG,
            new ChangeListener.Listener() {
              @Override
              public void changed(String name) {
                changed.accept(name);
              }

              @Override
              public void allChanged() {
                allChanged.run();
              }
            }));
  }

  /** Opens a pool of this test, whose only connection at first is that of a listener. */
  private HikariDataSource ownPool() {
    String url = database.url() + "&ApplicationName=" + name;
    return PostgresqlPool.open(new PoolSettings(url, "postgres", "", 0, 12, Database.MAX_WAIT));
  }

  /** Kills the listener on a connection of {@link #ownPool}. */
  private void killListener() {
    Database.awaitNumber(
        database.otherPool(),
        1,
        "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = '%s'"
            .formatted(name));
  }

  /** Skips changes by other tests at the same time. */
  private void awaitHearing(String message) throws InterruptedException {
    String next = "";
    while (!next.equals(message)) {
      next = next(message);
    }
  }

  private String next(String expected) throws InterruptedException {
    String next = heard.poll(Database.MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
    assertThat(next).as("while waiting for " + expected).isNotNull();
    return next;
  }

  /**
   * Changes the configuration, and again whenever the listener has begun anew: on a busy machine it
   * may take its connection for dead, and misses what is changed before the next.
   */
  private void awaitHearingAChange(int capacity) throws InterruptedException {
    String next = ALL;
    while (!next.equals(name)) {
      if (next.equals(ALL)) {
        otherNode.configure(name, SlotPolicy.of(capacity, Duration.ofSeconds(4)));
      }
      next = next(name);
    }
  }

  @Test
  void hearsChangesAndFlushesOfOtherNodes() throws Exception {
    try (ChangeListener listener = listen()) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      awaitHearing(ALL);

      awaitHearingAChange(1);
      awaitHearingAChange(2);
      Channel.SLOT_CONFIG.flushEverywhere(Dialect.POSTGRESQL, database.otherPool());
      awaitHearing(ALL);
    }
  }

  @Test
  void listensAgainAfterItsConnectionWasKilled() throws Exception {
    try (HikariDataSource pool = ownPool();
        ChangeListener listener = listen(pool, heard::add, () -> heard.add(ALL))) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      awaitHearing(ALL);

      killListener();

      // It reports that everything may have changed, because it may have missed notifications.
      awaitHearing(ALL);
      awaitHearingAChange(1);
    }
  }

  @Test
  void listensAgainAfterAListenerFailed() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    Consumer<String> failing =
        changed -> {
          switch (failures.getAndIncrement()) {
            case 0 -> throw new IllegalStateException("for the test");
            case 1 -> throw new StackOverflowError("for the test");
            default -> heard.add(changed);
          }
        };
    try (ChangeListener listener = listen(database.pool(), failing, () -> heard.add(ALL))) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      for (int failure = 1; failure <= 2; failure++) {
        awaitHearing(ALL);
        otherNode.configure(name, SlotPolicy.of(failure, Duration.ofSeconds(4)));
      }
      awaitHearing(ALL);
      awaitHearingAChange(3);
    }
  }

  @Test
  void killedConnectionIsNotHandedOutAgain() throws Exception {
    try (HikariDataSource pool = ownPool();
        ChangeListener listener = listen(pool, heard::add, () -> heard.add(ALL))) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      awaitHearing(ALL);

      killListener();
      awaitHearing(ALL);

      for (int i = 0; i < 30; i++) {
        assertThat(Database.number(pool, "select 1")).isEqualTo(1);
      }
    }
  }

  @Test
  void changeReachesTheCacheOfAnotherNodeImmediately() throws Exception {
    otherNode.configure(name, SlotPolicy.of(1, Duration.ofSeconds(4)));
    AtomicInteger reads = new AtomicInteger();
    SlotObserver observer =
        new SlotObserver() {
          @Override
          public void configCacheMiss() {
            reads.incrementAndGet();
          }
        };
    try (SlotScheduler slots =
            SlotScheduler.builder(JdbcSlotStore.builder(database.pool()).migrate(false).build())
                .observer(observer)
                .configCacheTtl(Duration.ofDays(1))
                .upkeep(Duration.ofDays(1), 1)
                .build();
        ChangeListener listener =
            listen(database.pool(), slots::forgetConfig, slots::forgetConfigs)) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      assertThat(slots.forecast(name, LATER, 1)).isPresent();
      assertThat(slots.forecast(name, LATER, 1)).isPresent();
      assertThat(reads).hasValue(1);

      otherNode.configure(name, SlotPolicy.of(2, Duration.ofSeconds(4)));

      // Its time to live is a day, so only a notification helps.
      Await.until(() -> slots.forecast(name, LATER, 1).isPresent() && reads.get() > 1);
    }
  }

  @Test
  void givesItsConnectionBackWhenClosed() throws Exception {
    try (var pool = Database.openPool(database.url())) {
      ChangeListener listener = listen(pool, heard::add, () -> heard.add(ALL));
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);

      listener.close();

      // It waits for its thread for a few seconds only.
      Await.until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }
  }
}
