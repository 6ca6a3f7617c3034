package dev.weir.benchmarks.slots;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.store.jdbc.PoolSettings;
import dev.weir.store.jdbc.PostgresqlPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The PostgreSQL that is measured: the embedded one that {@code ./weir up} starts, with fsync on,
 * in a temporary folder; or a given one.
 */
public final class BenchDatabase implements AutoCloseable {
  private static final int POOL_SIZE = 30;

  /** A side whose callers wait for each other is slow, but must not fail for that. */
  private static final Duration MAX_CONNECTION_WAIT = Duration.ofMinutes(5);

  private final Optional<Embedded> embedded;
  private final String url;
  private final String user;
  private final String password;

  private record Embedded(EmbeddedDatabase database, Path folder) {}

  private BenchDatabase(Optional<Embedded> embedded, String url, String user, String password) {
    this.embedded = embedded;
    this.url = url;
    this.user = user;
    this.password = password;
  }

  /** Opens the given database, whose URL includes user and password, or an embedded one. */
  public static BenchDatabase open(Optional<String> url) throws IOException {
    if (url.isPresent()) {
      return new BenchDatabase(Optional.empty(), url.get(), "", "");
    }
    Path folder = Files.createTempDirectory("weir-bench");
    EmbeddedDatabase database = EmbeddedDatabase.start(folder);
    return new BenchDatabase(
        Optional.of(new Embedded(database, folder)),
        database.jdbcUrl(),
        database.user(),
        database.password());
  }

  public String url() {
    return url;
  }

  public String user() {
    return user;
  }

  public String password() {
    return password;
  }

  /** Returns the comparator's pool: {@value #POOL_SIZE} connections without auto-commit. */
  public HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    if (!user.isEmpty()) {
      config.setUsername(user);
      config.setPassword(password);
    }
    config.setMaximumPoolSize(POOL_SIZE);
    config.setMinimumIdle(POOL_SIZE);
    // Borrowers commit explicitly, so nothing has to be switched when a connection is borrowed or
    // returned.
    config.setAutoCommit(false);
    config.setConnectionTimeout(MAX_CONNECTION_WAIT.toMillis());
    return new HikariDataSource(config);
  }

  /** Returns Weir's own pool, with the tables in place. */
  public HikariDataSource weirPool() {
    HikariDataSource pool =
        PostgresqlPool.open(
            new PoolSettings(url, user, password, 5, POOL_SIZE, MAX_CONNECTION_WAIT));
    PostgresqlPool.migrate(pool);
    return pool;
  }

  /** Runs statements with auto-commit, on a connection that is closed afterwards. */
  public void execute(String sql) throws SQLException {
    try (HikariDataSource pool = pool();
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(true);
      statement.execute(sql);
    }
  }

  @Override
  public void close() {
    embedded.ifPresent(
        own -> {
          own.database().close();
          try (Stream<Path> files = Files.walk(own.folder())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
              Files.delete(file);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
