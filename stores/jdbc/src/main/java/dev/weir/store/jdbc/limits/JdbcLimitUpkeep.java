package dev.weir.store.jdbc.limits;

import dev.weir.core.Micros;
import dev.weir.engine.limits.LimitUpkeep;
import dev.weir.store.jdbc.Sql;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.Transactions;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Upkeep of limits and leases in PostgreSQL. What somebody decides on at the moment is left for the
 * next time, so that nobody ever waits for upkeep.
 */
public final class JdbcLimitUpkeep implements LimitUpkeep {
  /** "weir", and two: the number of an advisory lock. */
  private static final long LOCK = 0x7765697202L;

  /** A clock that steps back by less finds what it left. */
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

  /** A resource and what is left of its leases, all of which have ended. */
  private static final String REMOVE_RESOURCES =
      """
      with expired as (
        delete from lease_resource where ctid = any(array(
          select ctid from lease_resource where remove_at < ?
          order by remove_at limit ? for update skip locked))
        returning resource),
      leases as (delete from lease l using expired where l.resource = expired.resource)
      select count(*) from expired
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcLimitUpkeep(DataSource database, StoreClock clock) {
    this.transactions = new Transactions(database, () -> {});
    this.clock = clock;
  }

  @Override
  public boolean alone(Runnable work) {
    return transactions.alone(LOCK, work);
  }

  @Override
  public int removeExpired(int most) {
    long before = transactions.read(connection -> Sql.now(connection, clock)) - GRACE_MICROS;
    int largest = 0;
    for (String sql : List.of(REMOVE_USAGES, REMOVE_REQUESTS, REMOVE_RESOURCES)) {
      largest =
          Math.max(
              largest,
              transactions.writeByOneStatement(
                  connection ->
                      Sql.first(connection, row -> row.getInt(1), sql, before, most)
                          .orElseThrow()));
    }
    return largest;
  }
}
