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
import dev.weir.store.jdbc.PostgresqlPool;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Timeouts;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Limits in PostgreSQL.
 *
 * <p>A decision is one statement, the call of a function that repeats core's arithmetic. Callers
 * that arrive while a statement is running share the next one. The function locks the rows of the
 * usages in a fixed order, reads the database's clock, decides one request after the other and
 * writes the changes. A refusal writes nothing, and if the previous batch was refused entirely, the
 * function first decides without locks: callers over the limit cause no disk writes. Thread-safe.
 */
public final class JdbcLimitStore implements LimitStore {
  private static final String READ =
      "select "
          + Dialect.POSTGRESQL.now()
          + """
          , u.at_micros, u.used, u.used_before, u.scale, u.counted_by
          from unnest(?::text[]) with ordinality as n(id, i)
          left join lateral (
            select l.at_micros, l.used, l.used_before, l.scale, l.counted_by
            from limit_usage l where l.id = n.id offset 0) u on true
          order by n.i
          """;

  private static final String RECALL =
      "select "
          + Dialect.POSTGRESQL.now()
          + ", l.expires_at, l.result from limit_request l where l.id = ?";

  private static final String SETTLE =
      "select weir_limit_settle_2(?::bigint, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /** Usages that are locked together while they are settled. */
  private static final int SETTLED_ROWS = 500;

  private final Transactions transactions;
  private final StoreClock clock;
  private final IntConsumer batches;
  private final List<Lane> lanes;

  /**
   * How callers share statements.
   *
   * @param lanes max concurrent batches; a key always uses the same lane
   * @param maxBatch max requests in one statement
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
   * @param contended called before each retry after a conflict with another node
   */
  public JdbcLimitStore(
      DataSource database, StoreClock clock, Settings settings, Runnable contended) {
    this(database, clock, settings, contended, requests -> {});
  }

  private JdbcLimitStore(
      DataSource database,
      StoreClock clock,
      Settings settings,
      Runnable contended,
      IntConsumer batches) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, contended);
    this.clock = clock;
    this.batches = batches;
    this.lanes =
        Stream.generate(() -> new Lane(settings, Timeouts.response(database)))
            .limit(settings.lanes())
            .toList();
  }

  /**
   * Returns a store on a data source, which should pool its connections and stays open when the
   * store is closed. Creates or updates Weir's tables in the default schema.
   *
   * @throws dev.weir.StoreException if the tables cannot be created or updated
   */
  public static JdbcLimitStore on(DataSource database) {
    PostgresqlPool.migrate(database);
    return new JdbcLimitStore(database);
  }

  public JdbcLimitStore(DataSource database) {
    this(database, StoreClock.DATABASE, Settings.DEFAULT, () -> {});
  }

  /**
   * Creates a store that reports the size of its batches.
   *
   * @param batches called with the number of requests in each batch
   */
  public JdbcLimitStore(DataSource database, IntConsumer batches) {
    this(database, StoreClock.DATABASE, Settings.DEFAULT, () -> {}, batches);
  }

  /** Callers that share statements. */
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
      LimitCall call = LimitCall.of(steps);
      LimitCall.CallResult result =
          transactions.autoCommit(
              connection ->
                  call.run(connection, ClockReading.givenNow(connection, clock), refusing));
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
    return transactions
        .read(connection -> Sql.first(connection, this::remembered, RECALL, request.requestId()))
        .flatMap(remembered -> remembered.resultFor(request));
  }

  private RememberedRequest remembered(ResultSet row) throws SQLException {
    return new RememberedRequest(
        clock.micros(row.getLong(1)), row.getLong(2), List.of((Long[]) row.getArray(3).getArray()));
  }

  @Override
  public AcquireResult peek(AcquireRequest request) {
    String[] ids =
        request.takingParts().stream()
            .map(limitRequest -> UsageId.of(limitRequest.policy(), limitRequest.key()))
            .toArray(String[]::new);
    List<Read> reads =
        transactions.read(connection -> Sql.list(connection, this::read, READ, (Object) ids));
    // A request with an id may have no limits, only leases: then there is no row with the time.
    long nowMicros = reads.isEmpty() ? nowMicros() : reads.getFirst().nowMicros();
    List<Outcome> outcomes = new ArrayList<>(reads.size());
    for (int i = 0; i < reads.size(); i++) {
      LimitRequest limitRequest = request.takingParts().get(i);
      Read read = reads.get(i);
      Policy counting = limitRequest.policy().on(read.usage(), read.countedBy());
      outcomes.add(counting.limit().peek(read.usage(), limitRequest.cost(), nowMicros));
    }
    return new AcquireResult(
        request.merged(outcomes), Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  private long nowMicros() {
    return transactions.read(connection -> ClockReading.now(connection, Dialect.POSTGRESQL, clock));
  }

  @Override
  public Usage usage(Policy policy, String key) {
    String[] ids = {UsageId.of(policy, key)};
    return transactions
        .read(connection -> Sql.first(connection, this::read, READ, (Object) ids))
        .orElseThrow()
        .usage();
  }

  /** A usage, the version that has counted it, and the time at which it was read. */
  private record Read(long nowMicros, Usage usage, int countedBy) {}

  private Read read(ResultSet row) throws SQLException {
    long nowMicros = clock.micros(row.getLong(1));
    long atMicros = row.getLong(2);
    if (row.wasNull()) {
      return new Read(nowMicros, Usage.NONE, Policy.UNORDERED);
    }
    Usage usage = new Usage(atMicros, row.getLong(3), row.getLong(4), row.getLong(5));
    return new Read(nowMicros, usage, row.getInt(6));
  }

  @Override
  public void forget(Policy policy, String key) {
    String id = UsageId.of(policy, key);
    int unused =
        transactions.autoCommit(
            connection -> Sql.update(connection, "delete from limit_usage where id = ?", id));
  }

  @Override
  public void settle(Policy policy) {
    settle(policy, UsageId.first(policy), UsageId.last(policy));
  }

  @Override
  public void settle(Policy policy, String key) {
    String id = UsageId.of(policy, key);
    settle(policy, id, id);
  }

  private void settle(Policy policy, String first, String last) {
    LimitParameters parameters = LimitParameters.of(policy.limit());
    Optional<String> next = Optional.of(first);
    while (next.isPresent()) {
      String from = next.get();
      next =
          transactions.autoCommit(
              connection ->
                  Sql.first(
                          connection,
                          row -> Optional.ofNullable(row.getString(1)),
                          SETTLE,
                          ClockReading.givenNow(connection, clock),
                          from,
                          last,
                          SETTLED_ROWS,
                          parameters.kind(),
                          parameters.max(),
                          parameters.size(),
                          parameters.refill(),
                          policy.version(),
                          policy.createdAtMicros())
                      .orElseThrow());
    }
  }

  /** Does nothing: the data source belongs to the caller. */
  @Override
  public void close() {}
}
