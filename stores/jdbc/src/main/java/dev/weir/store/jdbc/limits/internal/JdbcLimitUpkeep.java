package dev.weir.store.jdbc.limits.internal;

import dev.weir.internal.Micros;
import dev.weir.limits.internal.LimitUpkeep;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.ExclusiveTask;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Upkeep of limits and leases in PostgreSQL or Oracle. Rows that are locked by a decision are left
 * for the next run, so that no decision ever waits for upkeep.
 */
public final class JdbcLimitUpkeep implements LimitUpkeep {
  /**
   * Number of an advisory lock, and of a row of {@code exclusive_task} in Oracle: "weir" in ASCII,
   * followed by 2.
   */
  private static final long LOCK = 0x7765697202L;

  /** Keeps expired rows this long, so that a clock that steps back by less still finds them. */
  private static final long GRACE_MICROS = Micros.floor(Duration.ofMinutes(1));

  private static final String REMOVE_FROM =
      """
      with expired as (
        delete from %1$s where ctid = any(array(
          select ctid from %1$s where %2$s < ? order by %2$s limit ? for update skip locked))
        returning 1)
      select count(*) from expired
      """;

  private static final String REMOVE_USAGES = REMOVE_FROM.formatted("limit_usage", "remove_at");

  private static final String REMOVE_REQUESTS =
      REMOVE_FROM.formatted("limit_request", "expires_at");

  /** Removes resources and the rest of their leases, all of which have ended. */
  private static final String REMOVE_RESOURCES =
      """
      with expired as (
        delete from lease_resource where ctid = any(array(
          select ctid from lease_resource where remove_at < ?
          order by remove_at limit ? for update skip locked))
        returning resource),
      leases as (
        delete from lease where resource = any(array(select e.resource from expired e)))
      select count(*) from expired
      """;

  private final Dialect dialect;
  private final ExclusiveTask task;
  private final StoreClock clock;

  /** Upkeep in PostgreSQL. */
  public JdbcLimitUpkeep(DataSource database, StoreClock clock) {
    this(Dialect.POSTGRESQL, database, clock);
  }

  public JdbcLimitUpkeep(Dialect dialect, DataSource database, StoreClock clock) {
    this.dialect = dialect;
    this.task = new ExclusiveTask(dialect, new Transactions(dialect, database, () -> {}), LOCK);
    this.clock = clock;
  }

  @Override
  public boolean runExclusively(Runnable work) {
    return task.run(work);
  }

  @Override
  public int removeExpired(int max) {
    long before =
        task.read(connection -> ClockReading.now(connection, dialect, clock)) - GRACE_MICROS;
    return switch (dialect) {
      case POSTGRESQL -> removeFromPostgresql(before, max);
      case ORACLE -> removeFromOracle(before, max);
    };
  }

  private int removeFromPostgresql(long before, int max) {
    int maxRemoved = 0;
    for (String sql : List.of(REMOVE_USAGES, REMOVE_REQUESTS, REMOVE_RESOURCES)) {
      maxRemoved =
          Math.max(
              maxRemoved,
              task.autoCommit(
                  connection ->
                      Sql.first(connection, row -> row.getInt(1), sql, before, max).orElseThrow()));
    }
    return maxRemoved;
  }

  private int removeFromOracle(long before, int max) {
    int maxRemoved = 0;
    for (OracleExpiry rows :
        List.of(OracleExpiry.USAGES, OracleExpiry.REQUESTS, OracleExpiry.RESOURCES)) {
      maxRemoved =
          Math.max(maxRemoved, task.write(connection -> rows.remove(connection, before, max)));
    }
    return maxRemoved;
  }
}
