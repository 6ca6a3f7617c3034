package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.Optional;

/** Tells why a pool has no connection: its own exception says only that it waited for one. */
public final class ConnectionFailures {
  private ConnectionFailures() {}

  /**
   * Returns why the latest attempt to open a connection failed; empty if it did not.
   *
   * @param pool from {@link PostgresqlPool} or {@link OraclePool}
   */
  public static Optional<SQLException> latest(HikariDataSource pool) {
    return pool.getDataSource() instanceof RetryingConnector connector
        ? connector.failure()
        : Optional.empty();
  }
}
