package dev.weir.store.surrealdb;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.Queue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Leases in SurrealDB. Each step is executed atomically, by SurrealDB's own clock. Steps that
 * arrive while others are in flight share a call, which is one transaction. Thread-safe.
 *
 * <p>If SurrealDB has lost its data, no lease is granted until all that may have been held have
 * expired, except for resources that are newer than the loss. Lost leases cannot be renewed,
 * because it is unknown whether they were held.
 */
public final class SurrealDbLeaseStore implements LeaseStore {
  private static final int MAX_BATCH = 64;

  private final SurrealDb database;
  private final StoreClock clock;
  private final Batcher<LeaseStep, LeaseReply> batcher;
  private final Runnable onClose;

  /**
   * Returns a store with its own connection, which {@link #close} closes. It connects on first use,
   * and reconnects after each loss.
   */
  public static SurrealDbLeaseStore connect(SurrealDbSettings settings) {
    SurrealDb database = SurrealDb.open(settings);
    return new SurrealDbLeaseStore(database, StoreClock.SURREALDB, database::close);
  }

  /** Returns a store on a connection that stays open when the store is closed. */
  public SurrealDbLeaseStore(SurrealDb database) {
    this(database, StoreClock.SURREALDB);
  }

  SurrealDbLeaseStore(SurrealDb database, StoreClock clock) {
    this(database, clock, () -> {});
  }

  private SurrealDbLeaseStore(SurrealDb database, StoreClock clock, Runnable onClose) {
    this.database = database;
    this.clock = clock;
    this.onClose = onClose;
    this.batcher =
        new Batcher<LeaseStep, LeaseReply>(this::work, MAX_BATCH, database.settings().maxWaiting())
            .withMaxWait(database.settings().timeout());
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places) {
    return acquire(resource, limit, leaseId, places, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition acquire(
      String resource, Concurrency limit, String leaseId, int places, LeaseHistory history) {
    if (places < 1 || places > limit.max()) {
      throw new IllegalArgumentException(
          "places must be from 1 to %d, not %d".formatted(limit.max(), places));
    }
    return run(LeaseStep.acquire(resource, limit, leaseId, places, history)).acquisition();
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
    return join(resource, queue, ticketId, LeaseHistory.UNKNOWN);
  }

  @Override
  public LeaseDecision.Acquisition join(
      String resource, Queue queue, String ticketId, LeaseHistory history) {
    return run(LeaseStep.join(resource, queue, ticketId, history)).acquisition();
  }

  @Override
  public int current(String resource) {
    return count(LeaseStep.current(resource));
  }

  @Override
  public int current(String resource, Concurrency limit, LeaseHistory history) {
    return count(LeaseStep.current(resource, limit.max(), limit.ttlMicros(), history));
  }

  @Override
  public int current(String resource, Queue queue, LeaseHistory history) {
    long spanMicros = queue.maxSize() * queue.delayMicros();
    return count(LeaseStep.current(resource, queue.maxSize(), spanMicros, history));
  }

  /** Reads beside the batches, so that it changes nothing whatever is lost. */
  private int count(LeaseStep step) {
    return StoreException.whileReading(() -> work(List.of(step))).getFirst().current();
  }

  @Override
  public void forget(String resource) {
    var unused = run(LeaseStep.forget(resource));
  }

  private LeaseReply run(LeaseStep step) {
    return batcher.submit(List.of(step)).getFirst();
  }

  private List<LeaseReply> work(List<LeaseStep> steps) {
    List<Value> replies = database.run(LeaseStep.query(steps, database.settings(), clock)).items();
    List<LeaseReply> results = new ArrayList<>(steps.size());
    for (int i = 0; i < steps.size(); i++) {
      results.add(steps.get(i).reply(replies.get(i).numbers()));
    }
    return results;
  }

  /** Closes the connection if it belongs to this store. */
  @Override
  public void close() {
    onClose.run();
  }
}
