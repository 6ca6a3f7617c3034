package dev.weir.store.jdbc;

import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Queue;
import dev.weir.engine.Batcher;
import dev.weir.engine.limits.LeaseStore;
import java.util.List;
import javax.sql.DataSource;

/**
 * Leases in PostgreSQL: they outlive the nodes and the database's restarts, and end by the
 * database's clock.
 *
 * <p>A step is one statement, the call of a function that repeats core's transitions under the lock
 * of the resource; whoever comes while one is under way shares the next.
 */
public final class JdbcLeaseStore implements LeaseStore {
  private static final int LARGEST_BATCH = 128;
  private static final int MOST_WAITING = 20_000;

  private static final String CURRENT =
      """
      select r.places - coalesce((
        select sum(l.places) from lease l
        where l.resource = r.resource and l.expires_at <= coalesce(?::bigint, %s)), 0)
      from lease_resource r where r.resource = ?
      """
          .formatted(Sql.NOW);

  private final Transactions transactions;
  private final StoreClock clock;
  private final Batcher<LeaseStep, LeaseDecision> batcher;

  /**
   * @param contended told of each new try after another node was first
   */
  public JdbcLeaseStore(DataSource database, StoreClock clock, Runnable contended) {
    this.transactions = Transactions.prompt(database, contended);
    this.clock = clock;
    this.batcher =
        new Batcher<LeaseStep, LeaseDecision>(this::run, LARGEST_BATCH, MOST_WAITING)
            .within(PostgresPool.patience(database));
  }

  public JdbcLeaseStore(DataSource database) {
    this(database, StoreClock.OF_THE_DATABASE, () -> {});
  }

  private List<LeaseDecision> run(List<LeaseStep> steps) {
    LeaseCall call = new LeaseCall(steps);
    return transactions.writeByOneStatement(
        connection -> call.run(connection, Sql.givenNow(connection, clock)));
  }

  private LeaseDecision run(LeaseStep step) {
    return batcher.submit(List.of(step)).getFirst();
  }

  @Override
  public LeaseDecision acquire(String resource, Concurrency limit, String leaseId, int places) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return run(LeaseStep.acquire(resource, limit, leaseId, places));
  }

  @Override
  public LeaseDecision renew(String resource, Concurrency limit, String leaseId) {
    return run(LeaseStep.renew(resource, limit, leaseId));
  }

  @Override
  public LeaseDecision release(String resource, String leaseId) {
    return run(LeaseStep.release(resource, leaseId));
  }

  @Override
  public LeaseDecision join(String resource, Queue queue, String ticketId) {
    return run(LeaseStep.join(resource, queue, ticketId));
  }

  @Override
  public void forget(String resource) {
    run(LeaseStep.endAll(resource));
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
                    Sql.givenNow(connection, clock),
                    resource))
        .orElse(0);
  }

  /** The connections belong to whoever opened them. */
  @Override
  public void close() {}
}
