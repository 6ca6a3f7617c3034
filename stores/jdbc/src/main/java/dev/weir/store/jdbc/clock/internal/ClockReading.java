package dev.weir.store.jdbc.clock.internal;

import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads the clock by which a store decides. */
public final class ClockReading {
  private ClockReading() {}

  /** Returns the time to decide by, in microseconds since the epoch. */
  public static long now(Connection connection, Dialect dialect, StoreClock clock)
      throws SQLException {
    return Sql.first(connection, row -> clock.micros(dialect.micros(row, 1)), dialect.selectNow())
        .orElseThrow();
  }

  /** Returns the time of a clock other than PostgreSQL's; null to use the database's clock. */
  public static @Nullable Long givenNow(Connection connection, StoreClock clock)
      throws SQLException {
    return clock.equals(StoreClock.DATABASE) ? null : now(connection, Dialect.POSTGRESQL, clock);
  }
}
