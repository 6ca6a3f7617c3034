package dev.weir.store.jdbc.internal;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;

/** How long the database may take. */
public final class Timeouts {
  /** How long the database lets a transaction wait for a lock. */
  public static final Duration LOCK = Duration.ofSeconds(10);

  /** How long a statement may take, and how long a transaction may pause between two. */
  public static final Duration STATEMENT = Duration.ofSeconds(30);

  /**
   * Longer than the statement timeout: a server that sends nothing for this long is considered
   * gone.
   */
  public static final Duration SOCKET = Duration.ofSeconds(40);

  /** Applies to data sources that are not a pool. */
  private static final Duration DEFAULT_RESPONSE = Duration.ofSeconds(3);

  /** A flush to a busy disk may take this long. */
  private static final Duration MIN_RESPONSE = Duration.ofSeconds(1);

  private Timeouts() {}

  /**
   * Returns how long short statements wait for their response: as long as callers wait for a
   * connection, but at least as long as a busy database may need, and at most as long as the driver
   * waits.
   */
  public static Duration response(DataSource database) {
    if (!(database instanceof HikariDataSource pool)) {
      return DEFAULT_RESPONSE;
    }
    Duration wait = Duration.ofMillis(pool.getConnectionTimeout());
    if (wait.compareTo(MIN_RESPONSE) < 0) {
      return MIN_RESPONSE;
    }
    return wait.compareTo(SOCKET) > 0 ? SOCKET : wait;
  }
}
