package dev.weir.store.jdbc;

import java.time.Duration;

/**
 * Address and size of a pool.
 *
 * @param url JDBC URL of the database
 * @param user empty if the URL has the credentials
 * @param waitForConnection how long a caller waits for a connection before the call fails, and how
 *     long a limit decision waits for its response
 */
public record PoolSettings(
    String url,
    String user,
    String password,
    int minConnections,
    int maxConnections,
    Duration waitForConnection) {
  /** Returns the address, because the password must not be revealed. */
  @Override
  public String toString() {
    return "PoolSettings[" + url.replaceFirst("\\?.*", "") + "]";
  }
}
