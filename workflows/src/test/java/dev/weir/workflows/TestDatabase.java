package dev.weir.workflows;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.store.jdbc.PostgresqlPool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A real PostgreSQL in a temporary folder, started once for all tests of this process. */
public final class TestDatabase {
  private TestDatabase() {}

  private static final class Started {
    static final HikariDataSource POOL = start();
  }

  /** Returns connections to a database whose tables are up to date. */
  public static HikariDataSource pool() {
    return Started.POOL;
  }

  private static HikariDataSource start() {
    try {
      // It stops and removes its folder when this process ends.
      EmbeddedPostgres postgresql = EmbeddedPostgres.builder().start();
      HikariDataSource pool =
          PostgresqlPool.open(
              new PostgresqlPool.Settings(
                  postgresql.getJdbcUrl("postgres", "postgres"),
                  "postgres",
                  "",
                  1,
                  20,
                  Duration.ofSeconds(10)));
      PostgresqlPool.migrate(pool);
      return pool;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
