package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.StoreException.Outcome;
import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Policy;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotLedger;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.limits.JdbcLeaseStore;
import dev.weir.store.jdbc.limits.JdbcLimitStore;
import dev.weir.store.jdbc.limits.internal.JdbcDefinitions;
import dev.weir.store.jdbc.rules.internal.JdbcRules;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import dev.weir.store.jdbc.slots.internal.JdbcSlotLedger;
import dev.weir.store.tck.internal.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database that is stopped by a signal: its connections stay open, new ones are accepted by the
 * kernel, and nothing is ever answered. The driver's timeout is longer than the test's, so a caller
 * that waits for the driver's fails the test.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoppedDatabaseTest {
  private static final int CALLERS = 64;
  private static final Concurrency LEASE = Concurrency.of(1_000, Duration.ofDays(1));
  private static final Policy POLICY =
      Policy.of("p", FixedWindow.of(1_000_000_000, Duration.ofDays(300)));

  /** More callers than fit in a batch: those of later batches must not wait for each in turn. */
  private static final JdbcLimitStore.Settings SMALL_BATCHES =
      new JdbcLimitStore.Settings(1, 2, 1_000);

  /** Enough for each call of a test to have its own connection. */
  private static final int CONNECTIONS = 8;

  @TempDir private static Path folder;
  private static PostgresqlServer postgres;
  private HikariDataSource pool;
  private List<ProcessHandle> stopped = List.of();

  @BeforeAll
  static void start() throws IOException {
    postgres = PostgresqlServer.start(folder.resolve("data"));
    try (HikariDataSource patient = Database.openPool(url())) {
      PostgresqlPool.migrate(patient);
    }
  }

  @AfterAll
  static void end() throws IOException {
    postgres.close();
  }

  private static String url() {
    return postgres.url();
  }

  @BeforeEach
  void open() {
    pool = open(url(), CONNECTIONS, Duration.ofSeconds(1));
  }

  @AfterEach
  void close() throws Exception {
    goOn();
    pool.close();
  }

  private static HikariDataSource open(String url, int connections, Duration wait) {
    return PostgresqlPool.open(
        new PoolSettings(url, "postgres", "", connections, connections, wait), Duration.ofHours(1));
  }

  /** So that connections were used a moment ago, and are not validated before they are reused. */
  private void useAllConnections() throws SQLException {
    List<Connection> used = new ArrayList<>();
    while (used.size() < CONNECTIONS) {
      used.add(Database.connect(pool));
    }
    for (Connection connection : used) {
      connection.close();
    }
  }

  /** Nothing else tells it: a connection without notifications is as silent. */
  @Test
  void changeListenerNoticesThatItsConnectionDoesNotAnswer() throws Exception {
    AtomicInteger begun = new AtomicInteger();
    ChangeListener.Listener counting =
        new ChangeListener.Listener() {
          @Override
          public void changed(String name) {}

          @Override
          public void allChanged() {
            begun.incrementAndGet();
          }
        };
    try (ChangeListener listener =
        new ChangeListener(pool, Map.of(Channel.SLOT_CONFIG, counting))) {
      assertThat(listener.awaitListening(Database.MAX_WAIT)).isTrue();
      stop();
      Await.until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
      goOn();
      Await.until(() -> begun.get() > 1);
    }
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
                  assertThat(store.take(POLICY, "crowd", 1)).isTrue();
                  granted.incrementAndGet();
                }
              } catch (StoreException e) {
                (e.outcome() == Outcome.NONE ? nothingDone : unknown).incrementAndGet();
              }
            }
            stillAsking.decrementAndGet();
          });
    }
    Await.until(() -> granted.get() >= 200 && held.get() >= 200);
    stop();
    over.set(true);

    Await.until(() -> stillAsking.get() == 0);
    // Calls that were sent, and calls that never got their turn.
    assertThat(unknown.get()).isPositive();
    assertThat(nothingDone.get()).isPositive();
    goOn();
    callers.close();
    firstAnswer(store, "other");
    try (HikariDataSource patient = Database.openPool(url())) {
      assertThat(new JdbcLimitStore(patient).usage(POLICY, "crowd").used())
          .isBetween(granted.get(), granted.get() + unknown.get());
      assertThat(new JdbcLeaseStore(patient).current("r")).isBetween(1, CALLERS / 2);
    }
  }

  @Test
  void otherCallersAreAnsweredTooAndHaveDoneNothing() throws Exception {
    JdbcLimitStore store = limits();
    JdbcLeaseStore leases = new JdbcLeaseStore(pool);
    JdbcDefinitions<Concurrency> definitions =
        JdbcDefinitions.concurrency(pool, StoreClock.DATABASE);
    JdbcRules rules = new JdbcRules(pool, StoreClock.DATABASE);
    JdbcSlotConfigs configs = new JdbcSlotConfigs(pool, StoreClock.DATABASE);
    SlotLedger ledger =
        new JdbcSlotLedger(pool, StoreClock.DATABASE, new Random(1), SlotObserver.NONE);
    SlotConfig config;
    try (HikariDataSource patient = Database.openPool(url())) {
      config =
          new JdbcSlotConfigs(patient, StoreClock.DATABASE)
              .configure("c", SlotPolicy.of(1, Duration.ofSeconds(4)));
    }
    useAllConnections();
    stop();

    List<Callable<Object>> calls =
        List.of(
            () -> store.usage(POLICY, "k"),
            () -> leases.current("other"),
            () -> definitions.find("other"),
            rules::all,
            () -> definitions.define("other", LEASE),
            () -> configs.configure("c", SlotPolicy.of(2, Duration.ofSeconds(4))),
            () -> ledger.assign(List.of(new AssignRequest(SlotRequest.now("a", "c"), config))));
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Object> answer : callers.invokeAll(calls)) {
        assertThatThrownBy(answer::get)
            .cause()
            .isInstanceOfSatisfying(
                StoreException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.NONE));
      }
    }

    goOn();
    assertThat(Await.answer(() -> definitions.find("other"))).isEmpty();
    assertThat(Await.answer(() -> configs.history("c"))).hasSize(1);
    assertThat(Await.answer(() -> ledger.find("a"))).isEmpty();
  }

  @Test
  void serverThatReplacesASilentOneIsFound() throws Exception {
    try (SilentRelay relay = new SilentRelay(postgres.port());
        HikariDataSource through =
            open(
                "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(relay.port()),
                1,
                Duration.ofMillis(300))) {
      JdbcLimitStore store = new JdbcLimitStore(through);
      relay.awaitCaller();
      assertThatThrownBy(() -> store.take(POLICY, "k", 1))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.NONE));
      relay.speak();
      firstAnswer(store, "k");
    }
  }

  private static void firstAnswer(JdbcLimitStore store, String key) {
    assertThat(Await.answer(() -> store.take(POLICY, key, 1))).isTrue();
  }
}
