package dev.weir.store.jdbc.limits;

import dev.weir.internal.Batcher;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Timeouts;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Leases in PostgreSQL or Oracle. They survive restarts of nodes and of the database, and expire by
 * the database's clock.
 *
 * <p>Callers that arrive while a transaction is running share the next one. It locks the resources
 * in a fixed order and decides one step after the other: in PostgreSQL by one statement, in Oracle
 * by a few round trips that read all leases of these resources. Thread-safe.
 */
public final class JdbcLeaseStore implements LeaseStore {
  private static final int MAX_BATCH = 128;
  private static final int MAX_WAITING = 20_000;

  private final LeaseTables tables;
  private final Batcher<LeaseStep, LeaseDecision> batcher;

  /**
   * Creates a store on tables that there are.
   *
   * @param contended called before each retry after a conflict with another node
   * @throws dev.weir.StoreException if the kind of the database is not to be seen from its address,
   *     and it cannot be reached
   */
  public JdbcLeaseStore(DataSource database, StoreClock clock, Runnable contended) {
    this(
        LeaseTables.of(Dialect.of(database), database, clock, contended),
        Timeouts.response(database));
  }

  JdbcLeaseStore(LeaseTables tables, Duration maxWait) {
    this.tables = tables;
    this.batcher =
        new Batcher<LeaseStep, LeaseDecision>(tables::run, MAX_BATCH, MAX_WAITING)
            .withMaxWait(maxWait);
  }

  /**
   * Returns a store on a data source, which should pool its connections and stays open when the
   * store is closed. Creates or updates Weir's tables in the default schema. Sessions of Oracle
   * must sort and compare in binary, as those of {@link dev.weir.store.jdbc.OraclePool#open} do.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static JdbcLeaseStore on(DataSource database) {
    LimitTables.migrate(database);
    return new JdbcLeaseStore(database);
  }

  /** Creates a store on tables that there are. */
  public JdbcLeaseStore(DataSource database) {
    this(database, StoreClock.DATABASE, () -> {});
  }

  private <D extends LeaseDecision> D run(LeaseStep step, Class<D> expected) {
    return expected.cast(batcher.submit(List.of(step)).getFirst());
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return run(
        LeaseStep.acquire(resource, limit, leaseId, places), LeaseDecision.Acquisition.class);
  }

  @Override
  public LeaseDecision.Renewal renew(String resource, Concurrency limit, String leaseId) {
    return run(LeaseStep.renew(resource, limit, leaseId), LeaseDecision.Renewal.class);
  }

  @Override
  public LeaseDecision.Release release(String resource, String leaseId) {
    return run(LeaseStep.release(resource, leaseId), LeaseDecision.Release.class);
  }

  @Override
  public LeaseDecision.Release releaseAfter(String resource, String leaseId, Duration delay) {
    return run(
        LeaseStep.releaseAfter(resource, leaseId, Concurrency.delayMicros(delay)),
        LeaseDecision.Release.class);
  }

  @Override
  public LeaseDecision.Acquisition join(String resource, Queue queue, String ticketId) {
    return run(LeaseStep.join(resource, queue, ticketId), LeaseDecision.Acquisition.class);
  }

  @Override
  public void forget(String resource) {
    var unused = run(LeaseStep.endAll(resource), LeaseDecision.Release.class);
  }

  @Override
  public int current(String resource) {
    return tables.current(resource);
  }

  /** Does nothing: the data source belongs to the caller. */
  @Override
  public void close() {}
}
