package dev.weir.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** What the pools of all databases share. */
final class Pools {
  private Pools() {}

  /**
   * Returns a pool of connections that the connector opens.
   *
   * @param config what differs between databases
   */
  static HikariDataSource open(
      PoolSettings settings, RetryingConnector connector, HikariConfig config) {
    config.setPoolName("weir");
    config.setDataSource(connector);
    config.setMinimumIdle(settings.minConnections());
    // The pool connects by its data source; the URL says which kind of database it is of.
    config.setJdbcUrl(settings.url());
    config.setMaximumPoolSize(settings.maxConnections());
    config.setConnectionTimeout(settings.waitForConnection().toMillis());
    // Validating a connection whose server is gone must not use up the caller's whole wait.
    config.setValidationTimeout(
        Math.clamp(settings.waitForConnection().toMillis() / 2, 250, 1_000));
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
