package dev.weir.node.stores;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.StoreException;
import dev.weir.node.lifecycle.StopSignal;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.store.jdbc.ConnectionFailures;
import dev.weir.store.jdbc.OraclePool;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.RequiredTables;
import dev.weir.store.jdbc.internal.ChangeListener;
import dev.weir.store.jdbc.internal.ChangePoller;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection pool of a node, to an external PostgreSQL or Oracle, or to the embedded PostgreSQL
 * that it started.
 */
public final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final Duration START_MAX_WAIT = Duration.ofSeconds(15);

  /** It accepts connections already, so it is there; the machine may be busy with its recovery. */
  private static final Duration EMBEDDED_MAX_WAIT = Duration.ofMinutes(2);

  private static final Duration BETWEEN_POLLS = Duration.ofSeconds(1);

  private static final String NO_ANSWER = "the database does not answer";

  private final Optional<EmbeddedDatabase> embedded;
  private final Dialect dialect;
  private final HikariDataSource pool;

  /** Empty until they have been examined. */
  private Optional<RequiredTables> tables = Optional.empty();

  private Database(Optional<EmbeddedDatabase> embedded, Dialect dialect, HikariDataSource pool) {
    this.embedded = embedded;
    this.dialect = dialect;
    this.pool = pool;
  }

  /**
   * Connects to the database and updates its tables, if it may.
   *
   * @throws InvalidSettingException if the database cannot be used, for example because its tables
   *     are older than this version needs
   */
  public static Database open(DatabaseSettings settings, StopSignal stop) {
    Database database =
        settings
            .server()
            .map(
                address ->
                    new Database(
                        Optional.empty(), address.dialect(), pool(settings.pool(), address)))
            .orElseGet(() -> embedded(settings, stop));
    boolean usable = false;
    try {
      database.awaitAnswer(stop);
      stop.check();
      if (settings.migrates()) {
        database.migrate();
      }
      database.requireTables();
      usable = true;
      return database;
    } finally {
      if (!usable) {
        database.close();
      }
    }
  }

  private static Database embedded(DatabaseSettings settings, StopSignal stop) {
    EmbeddedDatabase embedded = EmbeddedDatabase.start(settings.dataFolder(), stop::isStopping);
    boolean open = false;
    try {
      HikariDataSource pool =
          pool(
              settings.pool(),
              new DatabaseAddress(embedded.jdbcUrl(), embedded.user(), embedded.password()));
      open = true;
      return new Database(Optional.of(embedded), Dialect.POSTGRESQL, pool);
    } finally {
      if (!open) {
        embedded.close();
      }
    }
  }

  private static HikariDataSource pool(DatabaseSettings.Pool size, DatabaseAddress address) {
    PoolSettings settings =
        new PoolSettings(
            address.url(),
            address.user(),
            address.password(),
            size.min(),
            size.max(),
            size.maxWait());
    return switch (address.dialect()) {
      case POSTGRESQL -> PostgresqlPool.open(settings);
      case ORACLE -> OraclePool.open(settings);
    };
  }

  /**
   * Starts to listen for changes that other nodes make. Oracle does not notify of them, so they are
   * polled.
   */
  public AutoCloseable listen(Map<Channel, ChangeListener.Listener> listeners) {
    return switch (dialect) {
      case POSTGRESQL -> new ChangeListener(pool, listeners);
      case ORACLE ->
          Upkeep.start("watch for changes", new ChangePoller(pool, listeners)::look, BETWEEN_POLLS);
    };
  }

  /** Counts, from now on, connections in use and callers that wait for one. */
  public void measure(PrometheusRegistry registry) {
    pool.setMetricsTrackerFactory(
        (name, connections) -> new DatabaseMetrics(registry, connections));
  }

  /** Returns whether the node has started it itself. */
  public boolean isEmbedded() {
    return embedded.isPresent();
  }

  public Dialect dialect() {
    return dialect;
  }

  public HikariDataSource pool() {
    return pool;
  }

  /** Returns why the database cannot be used now; empty if it can. */
  public String reasonAgainst() {
    try (Connection connection = pool.getConnection()) {
      if (!connection.isValid(2)) {
        return NO_ANSWER;
      }
      String reason = tables.orElseThrow().reasonAgainst(connection);
      if (!reason.isEmpty()) {
        // Once: no connection is left to find it again.
        log.error("Not working on the database: {}", reason);
      }
      return reason;
    } catch (SQLException e) {
      log.debug("Not ready", e);
      return tables.flatMap(RequiredTables::refusal).orElse(NO_ANSWER);
    }
  }

  /** Waits until the database responds, because it may start at the same time as its nodes. */
  private void awaitAnswer(StopSignal stop) {
    Duration maxWait = embedded.isPresent() ? EMBEDDED_MAX_WAIT : START_MAX_WAIT;
    long deadlineNanos = System.nanoTime() + maxWait.toNanos();
    while (true) {
      try (Connection connection = pool.getConnection()) {
        log.debug("Connected to {}", connection);
        return;
      } catch (SQLException e) {
        stop.check();
        // A failure with a cause is permanent, such as a wrong password or an unknown database.
        if (e.getCause() instanceof SQLException refused) {
          throw unusable(refused);
        }
        if (System.nanoTime() - deadlineNanos > 0) {
          throw unusable(
              new SQLException("nothing answers within " + maxWait + latestFailure(), e));
        }
      }
    }
  }

  private String latestFailure() {
    return ConnectionFailures.latest(pool)
        .map(failure -> ": " + firstLine(failure.getMessage()))
        .orElse("");
  }

  private void migrate() {
    try {
      switch (dialect) {
        case POSTGRESQL -> PostgresqlPool.migrate(pool);
        case ORACLE -> OraclePool.migrate(pool);
      }
    } catch (RuntimeException e) {
      log.debug("Not migrated", e);
      throw unusable(e);
    }
  }

  private void requireTables() {
    try {
      tables =
          Optional.of(
              switch (dialect) {
                case POSTGRESQL -> PostgresqlPool.requireTables(pool);
                case ORACLE -> OraclePool.requireTables(pool);
              });
    } catch (StoreException e) {
      log.debug("Not used", e);
      throw unusable(e);
    }
  }

  /** Returns an exception that says in one line what is wrong with the configured database. */
  public InvalidSettingException unusable(Exception reason) {
    String firstLine = firstLine(reason.getMessage());
    return embedded.isPresent()
        ? new InvalidSettingException(
            StoreSetting.DATA.key(), "holds a database that cannot be used: " + firstLine)
        : new InvalidSettingException(
            StoreSetting.DB_URL.key(), "leads to no database that can be used: " + firstLine);
  }

  private static String firstLine(@Nullable String message) {
    return String.valueOf(message).strip().lines().findFirst().orElse("no reason given");
  }

  @Override
  public void close() {
    try {
      pool.close();
    } finally {
      embedded.ifPresent(EmbeddedDatabase::close);
    }
  }
}
