package dev.weir.server.wiring;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.server.wiring.postgres.EmbeddedDatabase;
import dev.weir.store.jdbc.PostgresPool;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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

  private final Optional<EmbeddedDatabase> embedded;
  private final HikariDataSource pool;

  private Database(Optional<EmbeddedDatabase> embedded, HikariDataSource pool) {
    this.embedded = embedded;
    this.pool = pool;
  }

  /** Connects, and brings the tables up to date. */
  static Database open(Settings settings) {
    Optional<String> url = settings.optional(Setting.DB_URL);
    Database database = url.isPresent() ? real(settings, url.get()) : embedded(settings);
    boolean usable = false;
    try {
      database.refuseUnlessItAnswers();
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

  private static Database real(Settings settings, String url) {
    // An address may hold a password, so it is not repeated.
    if (!url.startsWith("jdbc:postgresql:")) {
      throw new InvalidSettingException(Setting.DB_URL.key(), "must begin with jdbc:postgresql:");
    }
    String user = settings.text(Setting.DB_USER);
    return new Database(
        Optional.empty(), pool(settings, url, user, settings.text(Setting.DB_PASSWORD)));
  }

  private static Database embedded(Settings settings) {
    EmbeddedDatabase embedded = EmbeddedDatabase.start(dataFolder(settings));
    boolean open = false;
    try {
      HikariDataSource pool =
          pool(settings, embedded.jdbcUrl(), embedded.user(), embedded.password());
      open = true;
      return new Database(Optional.of(embedded), pool);
    } finally {
      if (!open) {
        embedded.close();
      }
    }
  }

  private static Path dataFolder(Settings settings) {
    try {
      return settings
          .optional(Setting.DATA)
          .map(Path::of)
          .orElseGet(() -> Path.of(System.getProperty("user.home", "."), ".local/share/weir"));
    } catch (InvalidPathException e) {
      throw new InvalidSettingException(Setting.DATA.key(), "cannot be the name of a folder");
    }
  }

  private static HikariDataSource pool(
      Settings settings, String url, String user, String password) {
    int most = settings.number(Setting.DB_POOL_MAX, 2, 1_000);
    int fewest = Math.min(most, settings.number(Setting.DB_POOL_MIN, 0, 1_000));
    Duration wait = settings.duration(Setting.DB_WAIT, SHORTEST_WAIT, LONGEST_WAIT);
    PostgresPool.Settings pool = new PostgresPool.Settings(url, user, password, fewest, most, wait);
    try {
      return PostgresPool.open(pool);
    } catch (RuntimeException e) {
      // The pool has nothing better to throw at an address that its driver cannot read.
      log.debug("No pool", e);
      throw new InvalidSettingException(
          Setting.DB_URL.key(), "cannot be read: it must be jdbc:postgresql://host:port/database");
    }
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

  private void refuseUnlessItAnswers() {
    try {
      pool.getConnection().close();
    } catch (SQLException e) {
      // The pool says that it waited; why, the driver said.
      throw unusable(e.getCause() instanceof SQLException cause ? cause : e);
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
  static InvalidSettingException unusable(Exception reason) {
    String firstLine =
        String.valueOf(reason.getMessage()).strip().lines().findFirst().orElse("no reason given");
    return new InvalidSettingException(
        Setting.DB_URL.key(), "leads to no database that can be used: " + firstLine);
  }

  @Override
  public void close() {
    pool.close();
    embedded.ifPresent(EmbeddedDatabase::close);
  }
}
