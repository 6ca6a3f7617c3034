package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.engine.slots.Reconciler;
import dev.weir.engine.slots.SlotDesk;
import dev.weir.engine.slots.SlotObserver;
import dev.weir.server.metrics.SlotLog;
import dev.weir.server.metrics.SlotMetrics;
import dev.weir.server.rest.Readiness;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.wiring.postgres.EmbeddedDatabase;
import dev.weir.store.jdbc.PostgresPool;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running Weir: its database, its engine, its web server. Closing it drains it. */
public final class Node implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Node.class);

  /** What was started, last first. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final AtomicBoolean draining = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final WebServer web;

  /** Starts everything; if one part fails, what was started before is stopped again. */
  public static Node start(Settings settings) {
    return new Node(settings);
  }

  private Node(Settings settings) {
    boolean complete = false;
    try {
      PrometheusRegistry metrics = new PrometheusRegistry();
      JvmMetrics.builder().register(metrics);
      SlotObserver observer = new SlotLog(new SlotMetrics(metrics));
      Readiness readiness = () -> draining.get() ? "draining" : "";
      SlotParts parts;
      if (settings.choice(Setting.SLOTS_STORE, List.of("postgres", "memory")).equals("memory")) {
        parts = SlotParts.inMemory(settings, observer);
      } else {
        HikariDataSource database = openDatabase(settings);
        readiness = () -> draining.get() ? "draining" : reasonAgainst(database);
        parts = SlotParts.onPostgres(settings, database, observer);
      }
      started.push(parts.listener());
      SlotDesk desk = new SlotDesk(parts.ledger(), parts.cache(), desk(settings), observer);
      started.push(
          new Upkeep(
              new Reconciler(parts.upkeep(), reconciler(settings), observer),
              settings.duration(Setting.SLOTS_UPKEEP_EVERY)));
      web =
          WebServer.start(
              settings,
              List.of(
                  rest(settings),
                  readiness,
                  metrics,
                  desk,
                  parts.ledger(),
                  parts.configs(),
                  parts.cache(),
                  parts.broadcast()));
      complete = true;
    } finally {
      if (!complete) {
        stopParts();
      }
    }
  }

  /** Where it listens. */
  public URI address() {
    return web.address();
  }

  /** Finishes what is under way, refuses what is new, then stops everything. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      draining.set(true);
      web.drain();
      web.close();
      stopParts();
      log.info("Weir has stopped");
    }
  }

  private void stopParts() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        // The others have to be stopped all the same.
        log.error("Could not stop {}", part, e);
      }
    }
  }

  private HikariDataSource openDatabase(Settings settings) {
    Optional<String> url = settings.optional(Setting.DB_URL);
    PostgresPool.Settings pool;
    if (url.isPresent()) {
      if (!url.get().startsWith("jdbc:postgresql:")) {
        throw new InvalidSettingException(
            Setting.DB_URL.key(), "must be jdbc:postgresql://…, not \"" + url.get() + "\"");
      }
      pool =
          pool(
              settings,
              url.get(),
              settings.text(Setting.DB_USER),
              settings.text(Setting.DB_PASSWORD));
    } else {
      EmbeddedDatabase embedded = EmbeddedDatabase.start(dataFolder(settings));
      started.push(embedded);
      pool = pool(settings, embedded.jdbcUrl(), embedded.user(), embedded.password());
    }
    HikariDataSource database = PostgresPool.open(pool);
    started.push(database);
    String problem = reasonAgainst(database);
    if (!problem.isEmpty()) {
      throw new InvalidSettingException(Setting.DB_URL.key(), "leads nowhere: " + problem);
    }
    if (settings.flag(Setting.DB_MIGRATE)) {
      PostgresPool.migrate(database);
    }
    return database;
  }

  private static Path dataFolder(Settings settings) {
    return settings
        .optional(Setting.DATA)
        .map(Path::of)
        .orElseGet(() -> Path.of(System.getProperty("user.home", "."), ".local/share/weir"));
  }

  private static PostgresPool.Settings pool(
      Settings settings, String url, String user, String password) {
    int most = settings.number(Setting.DB_POOL_MAX, 2, 1_000);
    return new PostgresPool.Settings(
        url,
        user,
        password,
        Math.min(most, settings.number(Setting.DB_POOL_MIN, 0, 1_000)),
        most,
        settings.duration(Setting.DB_WAIT));
  }

  private static String reasonAgainst(HikariDataSource database) {
    try (Connection connection = database.getConnection()) {
      return connection.isValid(2) ? "" : "the database does not answer";
    } catch (SQLException e) {
      log.debug("Not ready", e);
      return "the database does not answer";
    }
  }

  private static SlotDesk.Settings desk(Settings settings) {
    return new SlotDesk.Settings(
        settings.number(Setting.SLOTS_LANES, 1, 64),
        settings.number(Setting.SLOTS_LARGEST_BATCH, 1, 50_000),
        SlotDesk.Settings.DEFAULT.mostWaiting());
  }

  private static Reconciler.Settings reconciler(Settings settings) {
    Duration retention =
        settings.optional(Setting.SLOTS_RETENTION).isPresent()
            ? settings.duration(Setting.SLOTS_RETENTION)
            : Reconciler.Settings.FOREVER;
    return new Reconciler.Settings(
        settings.duration(Setting.SLOTS_LEAK_GRACE),
        settings.flag(Setting.SLOTS_RECLAIM),
        retention,
        50);
  }

  private static RestSettings rest(Settings settings) {
    Set<String> keys =
        Arrays.stream(settings.text(Setting.CLIENT_KEYS).split(",", -1))
            .map(String::trim)
            .filter(key -> !key.isEmpty())
            .collect(Collectors.toSet());
    return new RestSettings(
        settings.text(Setting.SLOTS_DEFAULT_NAME), settings.optional(Setting.ADMIN_TOKEN), keys);
  }
}
