package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.server.wiring.postgres.EmbeddedDatabase;
import dev.weir.store.jdbc.PostgresPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The database of a node: a pool of connections to a real server, or to one that it started. */
final class Database implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Database.class);
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);
  private static final Duration START_PATIENCE = Duration.ofSeconds(15);

  /** Bringing the tables up to date takes three at the same time. */
  private static final int MIN_CONNECTIONS = 3;

  private static final int MAX_CONNECTIONS = 1_000;

  private final Optional<EmbeddedDatabase> embedded;
  private final HikariDataSource pool;

  private Database(Optional<EmbeddedDatabase> embedded, HikariDataSource pool) {
    this.embedded = embedded;
    this.pool = pool;
  }

  /** Connects, and brings the tables up to date. */
  static Database open(Settings settings, Startup startup) {
    // Read before PostgreSQL is started, so that a wrong one is reported at once.
    PoolSize size = PoolSize.of(settings);
    Database database =
        settings.optional(Setting.DB_URL).isPresent()
            ? new Database(Optional.empty(), pool(size, DatabaseAddress.ofServer(settings)))
            : embedded(settings, size, startup);
    boolean usable = false;
    try {
      database.awaitAnswer(startup);
      startup.check();
      if (settings.flag(Setting.DB_MIGRATE)) {
        database.migrate();
      }
      usable = true;
      return database;
    } finally {
      if (!usable) {
        database.close();
      }
    }
  }

  private static Database embedded(Settings settings, PoolSize size, Startup startup) {
    EmbeddedDatabase embedded =
        EmbeddedDatabase.start(DatabaseAddress.dataFolder(settings), startup::isStopping);
    boolean open = false;
    try {
      HikariDataSource pool =
          pool(size, new DatabaseAddress(embedded.jdbcUrl(), embedded.user(), embedded.password()));
      open = true;
      return new Database(Optional.of(embedded), pool);
    } finally {
      if (!open) {
        embedded.close();
      }
    }
  }

  /** How many connections there are, and how long a caller waits for one. */
  private record PoolSize(int min, int max, Duration patience) {
    static PoolSize of(Settings settings) {
      int max = settings.number(Setting.DB_POOL_MAX, MIN_CONNECTIONS, MAX_CONNECTIONS);
      int min = Math.min(max, settings.number(Setting.DB_POOL_MIN, 0, MAX_CONNECTIONS));
      return new PoolSize(
          min, max, settings.duration(Setting.DB_WAIT, SHORTEST_WAIT, LONGEST_WAIT));
    }
  }

  private static HikariDataSource pool(PoolSize size, DatabaseAddress address) {
    return PostgresPool.open(
        new PostgresPool.Settings(
            address.url(),
            address.user(),
            address.password(),
            size.min(),
            size.max(),
            size.patience()));
  }

  HikariDataSource pool() {
    return pool;
  }

  /** Why it cannot be used now; empty if it can. */
  String reasonAgainst() {
    try (Connection connection = pool.getConnection()) {
      return connection.isValid(2) ? "" : "the database does not answer";
    } catch (SQLException e) {
      log.debug("Not ready", e);
      return "the database does not answer";
    }
  }

  /** A database that is started at the same time as its nodes may come up after them. */
  private void awaitAnswer(Startup startup) {
    long deadlineNanos = System.nanoTime() + START_PATIENCE.toNanos();
    while (true) {
      try (Connection connection = pool.getConnection()) {
        log.debug("Connected to {}", connection);
        return;
      } catch (SQLException e) {
        startup.check();
        // What has a cause will not pass by itself: a wrong password, an unknown database.
        if (e.getCause() instanceof SQLException refused) {
          throw unusable(refused);
        }
        if (System.nanoTime() - deadlineNanos > 0) {
          throw unusable(new SQLException("nothing answers within " + START_PATIENCE, e));
        }
      }
    }
  }

  private void migrate() {
    try {
      PostgresPool.migrate(pool);
    } catch (RuntimeException e) {
      log.debug("Not migrated", e);
      throw unusable(e);
    }
  }

  /** What is wrong with the database that the settings name, in one line. */
  InvalidSettingException unusable(Exception reason) {
    String firstLine =
        String.valueOf(reason.getMessage()).strip().lines().findFirst().orElse("no reason given");
    return embedded.isPresent()
        ? new InvalidSettingException(
            Setting.DATA.key(), "holds a database that cannot be used: " + firstLine)
        : new InvalidSettingException(
            Setting.DB_URL.key(), "leads to no database that can be used: " + firstLine);
  }

  @Override
  public void close() {
    pool.close();
    embedded.ifPresent(EmbeddedDatabase::close);
  }
}
