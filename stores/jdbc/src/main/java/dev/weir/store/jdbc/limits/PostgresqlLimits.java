package dev.weir.store.jdbc.limits;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Limits in PostgreSQL: each step is a call of a function that repeats core's arithmetic. The
 * function locks the rows of the usages in a fixed order, reads the database's clock, decides one
 * request after the other and writes the changes. A refusal writes nothing.
 */
final class PostgresqlLimits implements LimitTables {
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

  PostgresqlLimits(Transactions transactions, StoreClock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public LimitCall.CallResult run(List<LimitStep> steps, boolean lookFirst) {
    LimitCall call = LimitCall.of(steps);
    return transactions.autoCommit(
        connection -> call.run(connection, ClockReading.givenNow(connection, clock), lookFirst));
  }

  /** A usage, and the time at which it was read. */
  private record Read(long nowMicros, Counted counted) {}

  @Override
  public Reading read(List<LimitRequest> parts) {
    String[] ids =
        parts.stream().map(part -> UsageId.of(part.policy(), part.key())).toArray(String[]::new);
    List<Read> reads =
        transactions.read(connection -> Sql.list(connection, this::read, READ, (Object) ids));
    // A request with an id may have no limits, only leases: then there is no row with the time.
    return new Reading(
        reads.isEmpty() ? nowMicros() : reads.getFirst().nowMicros(),
        reads.stream().map(Read::counted).toList());
  }

  private Read read(ResultSet row) throws SQLException {
    long nowMicros = clock.micros(row.getLong(1));
    long atMicros = row.getLong(2);
    if (row.wasNull()) {
      return new Read(nowMicros, Counted.NONE);
    }
    Usage usage = new Usage(atMicros, row.getLong(3), row.getLong(4), row.getLong(5));
    return new Read(nowMicros, new Counted(usage, row.getInt(6)));
  }

  private long nowMicros() {
    return transactions.read(connection -> ClockReading.now(connection, Dialect.POSTGRESQL, clock));
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return transactions
        .read(
            connection ->
                Sql.first(connection, row -> recalled(row, request), RECALL, request.requestId()))
        .flatMap(result -> result);
  }

  private Optional<AcquireResult> recalled(ResultSet row, AcquireRequest request)
      throws SQLException {
    long nowMicros = clock.micros(row.getLong(1));
    List<Long> numbers = List.of((Long[]) row.getArray(3).getArray());
    return Optional.of(RememberedRequest.read(numbers, row.getLong(2)))
        .filter(grant -> grant.isKnownAt(nowMicros))
        .map(grant -> grant.resultFor(request, nowMicros));
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
}
