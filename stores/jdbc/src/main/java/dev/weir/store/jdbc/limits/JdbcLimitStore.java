package dev.weir.store.jdbc.limits;

import dev.weir.internal.Batcher;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Timeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Limits in PostgreSQL or Oracle.
 *
 * <p>Callers that arrive while a transaction is running share the next one. It locks the rows of
 * the usages in a fixed order, reads the database's clock, decides one request after the other and
 * writes the changes: in PostgreSQL by one statement, in Oracle by four round trips. A refusal
 * writes nothing, and if the previous batch was refused entirely, the next one is first decided
 * without locks: callers over the limit cause no disk writes. Thread-safe.
 */
public final class JdbcLimitStore implements LimitStore {
  private final LimitTables tables;
  private final IntConsumer batches;
  private final List<Lane> lanes;

  /**
   * How callers share transactions.
   *
   * @param lanes max concurrent batches; a key always uses the same lane
   * @param maxBatch max requests in one transaction
   * @param maxWaiting max waiting callers in each lane; further callers fail
   */
  public record Settings(int lanes, int maxBatch, int maxWaiting) {
    public static final Settings DEFAULT = new Settings(2, 256, 20_000);

    public Settings {
      if (lanes < 1 || maxBatch < 1 || maxWaiting < maxBatch) {
        throw new IllegalArgumentException(
            "lanes %d and maxBatch %d must be at least 1, maxWaiting %d at least maxBatch"
                .formatted(lanes, maxBatch, maxWaiting));
      }
    }
  }

  /**
   * Creates a store on tables that there are.
   *
   * @param contended called before each retry after a conflict with another node
   * @throws dev.weir.StoreException if the kind of the database is not to be seen from its address,
   *     and it cannot be reached
   */
  public JdbcLimitStore(
      DataSource database, StoreClock clock, Settings settings, Runnable contended) {
    this(
        LimitTables.of(Dialect.of(database), database, clock, contended),
        settings,
        Timeouts.response(database),
        requests -> {});
  }

  JdbcLimitStore(LimitTables tables, Settings settings, Duration maxWait, IntConsumer batches) {
    this.tables = tables;
    this.batches = batches;
    this.lanes =
        Stream.generate(() -> new Lane(settings, maxWait)).limit(settings.lanes()).toList();
  }

  /**
   * Returns a store on a data source, which should pool its connections and stays open when the
   * store is closed. Creates or updates Weir's tables in the default schema. Sessions of Oracle
   * must sort and compare in binary, as those of {@link dev.weir.store.jdbc.OraclePool#open} do.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static JdbcLimitStore on(DataSource database) {
    LimitTables.migrate(database);
    return new JdbcLimitStore(database);
  }

  /** Creates a store on tables that there are. */
  public JdbcLimitStore(DataSource database) {
    this(database, requests -> {});
  }

  /**
   * Creates a store that reports the size of its batches.
   *
   * @param batches called with the number of requests in each batch
   */
  public JdbcLimitStore(DataSource database, IntConsumer batches) {
    this(
        LimitTables.of(Dialect.of(database), database, StoreClock.DATABASE, () -> {}),
        Settings.DEFAULT,
        Timeouts.response(database),
        batches);
  }

  /** Callers that share transactions. */
  private final class Lane {
    final Batcher<LimitStep, LimitCall.Done> batcher;

    /** Whether the last batch wrote nothing. */
    private boolean refusing;

    Lane(Settings settings, Duration maxWait) {
      this.batcher =
          new Batcher<LimitStep, LimitCall.Done>(
                  this::run, settings.maxBatch(), settings.maxWaiting())
              .withMaxWait(maxWait);
    }

    private List<LimitCall.Done> run(List<LimitStep> steps) {
      batches.accept(steps.size());
      LimitCall.CallResult result = tables.run(steps, refusing);
      refusing = !result.wrote();
      return result.done();
    }
  }

  @Override
  public AcquireResult decide(AcquireRequest request) {
    return run(new LimitStep.Decide(request), LimitCall.Decided.class).result();
  }

  @Override
  public Refund refund(AcquireRequest request, Instant grantedAt) {
    LimitStep step = new LimitStep.GiveBack(request, Micros.clamped(grantedAt));
    return run(step, LimitCall.GivenBack.class).refund();
  }

  private <D extends LimitCall.Done> D run(LimitStep step, Class<D> expected) {
    List<LimitRequest> limitRequests = step.request().parts();
    String name =
        limitRequests.isEmpty() ? step.request().requestId() : limitRequests.getFirst().key();
    int lane = Math.floorMod(name.hashCode(), lanes.size());
    return expected.cast(lanes.get(lane).batcher.submit(List.of(step)).getFirst());
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return tables.recall(request);
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    List<LimitRequest> parts = request.takingParts();
    LimitTables.Reading reading = tables.read(parts);
    List<Outcome> outcomes = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      LimitTables.Counted counted = reading.usages().get(i);
      Policy counting = parts.get(i).policy().on(counted.usage(), counted.countedBy());
      outcomes.add(
          counting.limit().peek(counted.usage(), parts.get(i).cost(), reading.nowMicros()));
    }
    return new AcquireResult(
        request.merged(outcomes), Micros.instant(reading.nowMicros()), AcquireResult.Mode.STORE);
  }

  @Override
  public Usage usage(Policy policy, String key) {
    return tables.read(List.of(LimitRequest.of(policy, key))).usages().getFirst().usage();
  }

  @Override
  public void forget(Policy policy, String key) {
    tables.forget(policy, key);
  }

  @Override
  public void settle(Policy policy) {
    tables.settle(policy);
  }

  @Override
  public void settle(Policy policy, String key) {
    tables.settle(policy, key);
  }

  /** Does nothing: the data source belongs to the caller. */
  @Override
  public void close() {}
}
