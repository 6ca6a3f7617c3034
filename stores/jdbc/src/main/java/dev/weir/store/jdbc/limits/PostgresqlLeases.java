package dev.weir.store.jdbc.limits;

import dev.weir.limits.LeaseDecision;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.util.List;

/**
 * Leases in PostgreSQL: each step is a call of a function that repeats core's transitions under the
 * lock of the resource.
 */
final class PostgresqlLeases implements LeaseTables {
  private static final String CURRENT =
      """
      select r.places - coalesce((
        select sum(l.places) from lease l
        where l.resource = r.resource and l.expires_at <= (select coalesce(?::bigint, %s))), 0)
      from lease_resource r where r.resource = ?
      """
          .formatted(Dialect.POSTGRESQL.now());

  private final Transactions transactions;
  private final StoreClock clock;

  PostgresqlLeases(Transactions transactions, StoreClock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public List<LeaseDecision> run(List<LeaseStep> steps) {
    LeaseCall call = new LeaseCall(steps);
    return transactions.autoCommit(
        connection -> call.run(connection, ClockReading.givenNow(connection, clock)));
  }

  @Override
  public int current(String resource) {
    return transactions
        .read(
            connection ->
                Sql.first(
                    connection,
                    row -> row.getInt(1),
                    CURRENT,
                    ClockReading.givenNow(connection, clock),
                    resource))
        .orElse(0);
  }
}
