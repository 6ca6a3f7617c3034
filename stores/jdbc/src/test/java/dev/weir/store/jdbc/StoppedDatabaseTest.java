package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.engine.StoreException;
import dev.weir.engine.StoreException.Outcome;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.slots.AssignRequest;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotLedger;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.engine.slots.SlotRequest;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.store.jdbc.limits.internal.JdbcDefinitions;
import dev.weir.store.jdbc.rules.internal.JdbcRules;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database that is stopped by a signal: its connections stay open, new ones are accepted by the
 * kernel, and nothing is ever answered. A test's timeout is shorter than the driver's, so a caller
 * that waits for the driver's fails the test.
 */
@Timeout(value = 35, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoppedDatabaseTest {
  private static final int CALLERS = 64;
  private static final Concurrency LEASE = Concurrency.of(1_000, Duration.ofDays(1));
  private static final Policy POLICY =
      Policy.of("p", FixedWindow.of(1_000_000_000, Duration.ofDays(300)));

  /** More callers than fit in a batch: those of later batches must not wait for each in turn. */
  private static final JdbcLimitStore.Settings SMALL_BATCHES =
      new JdbcLimitStore.Settings(1, 2, 1_000);

  @TempDir private Path folder;
  private EmbeddedPostgres postgres;
  private HikariDataSource pool;
  private List<ProcessHandle> stopped = List.of();

  @BeforeEach
  void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setDataDirectory(folder.resolve("data")).start();
    pool =
        PostgresqlPool.open(
            new PoolSettings(
                postgres.getJdbcUrl("postgres", "postgres"),
                "postgres",
                "",
                2,
                6,
                Duration.ofSeconds(1)));
    PostgresqlPool.migrate(pool);
  }

  @AfterEach
  void end() throws Exception {
    goOn();
    pool.close();
    postgres.close();
  }

  private void stop() throws Exception {
    long pid;
    try (Stream<String> lines = Files.lines(folder.resolve("data/postmaster.pid"))) {
      pid = Long.parseLong(lines.findFirst().orElseThrow().strip());
    }
    ProcessHandle main = ProcessHandle.of(pid).orElseThrow();
    // First the process that starts the others, so that none is missed.
    signal("STOP", List.of(main));
    stopped = Stream.concat(Stream.of(main), main.descendants()).toList();
    signal("STOP", stopped);
  }

  private void goOn() throws Exception {
    signal("CONT", stopped);
    stopped = List.of();
  }

  private static void signal(String name, List<ProcessHandle> processes) throws Exception {
    for (ProcessHandle process : processes) {
      int unused =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    }
  }

  private JdbcLimitStore limits() {
    return new JdbcLimitStore(pool, StoreClock.DATABASE, SMALL_BATCHES, () -> {});
  }

  @Test
  void everyCallerIsAnsweredWhileItIsStoppedAndAllThatWasGrantedIsCounted() throws Exception {
    JdbcLimitStore store = limits();
    JdbcLeaseStore leases = new JdbcLeaseStore(pool);
    AtomicLong granted = new AtomicLong();
    AtomicLong held = new AtomicLong();
    AtomicLong nothingDone = new AtomicLong();
    AtomicLong unknown = new AtomicLong();
    AtomicLong stillAsking = new AtomicLong(CALLERS);
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    for (int i = 0; i < CALLERS; i++) {
      boolean leasing = i % 2 == 0;
      String name = "lease " + i;
      callers.execute(
          () -> {
            while (!over.get()) {
              try {
                if (leasing) {
                  assertThat(leases.acquire("r", LEASE, name, 1).isGranted()).isTrue();
                  held.incrementAndGet();
                } else {
                  assertThat(store.take(POLICY, "k", 1)).isTrue();
                  granted.incrementAndGet();
                }
              } catch (StoreException e) {
                (e.outcome() == Outcome.NONE ? nothingDone : unknown).incrementAndGet();
              }
            }
            stillAsking.decrementAndGet();
          });
    }
    await(granted, 200);
    await(held, 200);
    stop();
    over.set(true);

    while (stillAsking.get() > 0) {
      Thread.onSpinWait();
    }
    // Calls that were sent, and calls that never got their turn.
    assertThat(unknown.get()).isPositive();
    assertThat(nothingDone.get()).isPositive();
    goOn();
    callers.close();
    firstAnswer(store);
    assertThat(store.usage(POLICY, "k").used())
        .isBetween(granted.get() + 1, granted.get() + 1 + unknown.get());
    assertThat(leases.current("r")).isBetween(1, CALLERS / 2);
  }

  @Test
  void readersOfLimitsAreAnsweredToo() throws Exception {
    JdbcLimitStore store = limits();
    JdbcLeaseStore leases = new JdbcLeaseStore(pool);
    JdbcDefinitions<Concurrency> definitions =
        JdbcDefinitions.concurrency(pool, StoreClock.DATABASE);
    JdbcRules rules = new JdbcRules(pool, StoreClock.DATABASE);
    // So that connections were used a moment ago, and are not validated before they are reused.
    store.take(POLICY, "k", 1);
    stop();

    List<Runnable> readings =
        List.of(
            () -> store.usage(POLICY, "k"),
            () -> leases.current("r"),
            () -> definitions.find("r"),
            rules::all,
            () -> definitions.define("r", LEASE));
    for (Runnable reading : readings) {
      assertNothingDone(reading);
    }
    goOn();
    firstAnswer(store);
    assertThat(definitions.find("r")).isEmpty();
  }

  @Test
  void changeOfAConfigurationIsAnsweredToo() throws Exception {
    JdbcSlotConfigs configs = new JdbcSlotConfigs(pool, StoreClock.DATABASE);
    configs.configure("c", SlotPolicy.of(1, Duration.ofSeconds(4)));
    stop();

    assertNothingDone(() -> configs.configure("c", SlotPolicy.of(2, Duration.ofSeconds(4))));

    goOn();
    firstAnswer(limits());
    assertThat(configs.history("c")).hasSize(1);
  }

  @Test
  void requestForASlotIsAnsweredToo() throws Exception {
    SlotLedger ledger =
        new JdbcSlotLedger(pool, StoreClock.DATABASE, new Random(1), SlotObserver.NONE);
    SlotConfig config =
        new JdbcSlotConfigs(pool, StoreClock.DATABASE)
            .configure("c", SlotPolicy.of(1, Duration.ofSeconds(4)));
    stop();

    assertNothingDone(
        () -> ledger.assign(List.of(new AssignRequest(SlotRequest.now("a", "c"), config))));

    goOn();
    firstAnswer(limits());
    assertThat(ledger.find("a")).isEmpty();
  }

  private static void assertNothingDone(Runnable call) {
    assertThat(catchThrowableOfType(StoreException.class, call::run).outcome())
        .isEqualTo(Outcome.NONE);
  }

  @Test
  void serverThatReplacesASilentOneIsFound() throws Exception {
    try (SilentRelay relay = new SilentRelay(postgres.getPort());
        HikariDataSource through =
            PostgresqlPool.open(
                new PoolSettings(
                    "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable"
                        .formatted(relay.port()),
                    "postgres",
                    "",
                    1,
                    4,
                    Duration.ofMillis(300)))) {
      JdbcLimitStore store = new JdbcLimitStore(through);
      relay.awaitCaller();
      assertThatThrownBy(() -> store.take(POLICY, "k", 1))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.NONE));
      relay.speak();
      firstAnswer(store);
    }
  }

  private static void firstAnswer(JdbcLimitStore store) {
    while (true) {
      try {
        assertThat(store.take(POLICY, "k", 1)).isTrue();
        return;
      } catch (StoreException stillGone) {
        Thread.onSpinWait();
      }
    }
  }

  /** The test's timeout is the bound. */
  private static void await(AtomicLong count, long least) {
    while (count.get() < least) {
      Thread.onSpinWait();
    }
  }
}
