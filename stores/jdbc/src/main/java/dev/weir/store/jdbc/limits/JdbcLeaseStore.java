package dev.weir.store.jdbc.limits;

import dev.weir.internal.Batcher;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Timeouts;
import dev.weir.store.jdbc.internal.Transactions;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Leases in PostgreSQL. They survive restarts of nodes and of the database, and expire by the
 * database's clock.
 *
 * <p>A step is one statement, the call of a function that repeats core's transitions under the lock
 * of the resource. Callers that arrive while a statement is running share the next one.
 * Thread-safe.
 */
public final class JdbcLeaseStore implements LeaseStore {
  private static final int MAX_BATCH = 128;
  private static final int MAX_WAITING = 20_000;

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
  private final Batcher<LeaseStep, LeaseReply> batcher;

  /**
   * @param contended called before each retry after a conflict with another node
   */
  public JdbcLeaseStore(DataSource database, StoreClock clock, Runnable contended) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, contended);
    this.clock = clock;
    this.batcher =
        new Batcher<LeaseStep, LeaseReply>(this::run, MAX_BATCH, MAX_WAITING)
            .withMaxWait(Timeouts.response(database));
  }

  /**
   * Returns a store on a data source, which should pool its connections and stays open when the
   * store is closed. Creates or updates Weir's tables in the default schema.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static JdbcLeaseStore on(DataSource database) {
    PostgresqlPool.migrate(database);
    return new JdbcLeaseStore(database);
  }

  public JdbcLeaseStore(DataSource database) {
    this(database, StoreClock.DATABASE, () -> {});
  }

  private List<LeaseReply> run(List<LeaseStep> steps) {
    LeaseCall call = new LeaseCall(steps);
    return transactions.autoCommit(
        connection -> call.run(connection, ClockReading.givenNow(connection, clock)));
  }

  private LeaseReply run(LeaseStep step) {
    return batcher.submit(List.of(step)).getFirst();
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return run(LeaseStep.acquire(resource, limit, leaseId, places)).acquisition();
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    return run(LeaseStep.renew(resource, limit, leaseId)).renewal();
  }

  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return run(LeaseStep.release(resource, leaseId)).release();
  }

  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    return run(LeaseStep.releaseAfter(resource, leaseId, Concurrency.delayMicros(delay))).release();
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    return run(LeaseStep.join(resource, queue, ticketId)).acquisition();
  }

  @Override
  public void forget(String resource) {
    var unused = run(LeaseStep.endAll(resource));
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

  /** Does nothing: the data source belongs to the caller. */
  @Override
  public void close() {}
}
