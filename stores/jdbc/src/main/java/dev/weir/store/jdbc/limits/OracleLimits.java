package dev.weir.store.jdbc.limits;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.OracleTable;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Limits in Oracle: lock the rows of a batch, read the clock, decide by core, write what has
 * changed.
 *
 * <p>A usage that is new has no row to lock. If another node counts it first, this one violates the
 * key when it adds the row, and decides everything again. The same holds for request ids.
 */
final class OracleLimits implements LimitTables {
  private static final OracleTable<String, LimitBatch.Row> USAGES =
      OracleTable.byText(
          "limit_usage",
          "id",
          List.of("at_micros", "used", "used_before", "used_scale", "remove_at", "counted_by"),
          OracleLimits::usage,
          row ->
              List.of(
                  row.usage().atMicros(),
                  row.usage().used(),
                  row.usage().before(),
                  row.usage().scale(),
                  row.removeAtMicros(),
                  row.countedBy()));

  private static final OracleTable<String, RememberedRequest> REQUESTS =
      OracleTable.byText(
          "limit_request",
          "id",
          List.of("expires_at", "grant_numbers"),
          row -> RememberedRequest.read(numbers(row.getBytes(3)), row.getLong(2)),
          grant -> List.of(grant.expiresAtMicros(), bytes(grant.numbers())));

  private static final String FORGET = "delete from limit_usage where id = ?";

  private static final String PAGE =
      "select u.id from limit_usage u where u.id > ? and u.id < ?"
          + " order by u.id fetch first ? rows only";

  /** Usages that are locked together while they are settled. */
  private static final int SETTLED_ROWS = 500;

  private final Transactions transactions;
  private final StoreClock clock;

  OracleLimits(Transactions transactions, StoreClock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  private static LimitBatch.Row usage(ResultSet row) throws SQLException {
    return new LimitBatch.Row(
        new Usage(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
        row.getInt(7),
        row.getLong(6));
  }

  private static byte[] bytes(List<Long> numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * numbers.size());
    numbers.forEach(bytes::putLong);
    return bytes.array();
  }

  private static List<Long> numbers(byte[] bytes) {
    List<Long> numbers = new ArrayList<>(bytes.length / Long.BYTES);
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      numbers.add(left.getLong());
    }
    return numbers;
  }

  /** The ids of the usages and of the requests of steps, in order. */
  private record Ids(Set<String> usages, Set<String> requests) {
    static Ids of(List<LimitStep> steps) {
      Ids ids = new Ids(new TreeSet<>(), new TreeSet<>());
      for (LimitStep step : steps) {
        AcquireRequest request = step.request();
        request
            .takingParts()
            .forEach(part -> ids.usages.add(UsageId.inOracle(part.policy(), part.key())));
        if (request.isRepeatable()) {
          ids.requests.add(request.requestId());
        }
      }
      return ids;
    }
  }

  @Override
  public LimitCall.CallResult run(List<LimitStep> steps, boolean lookFirst) {
    Ids ids = Ids.of(steps);
    if (lookFirst) {
      LimitCall.CallResult seen = transactions.read(connection -> read(connection, ids).run(steps));
      if (!seen.wrote()) {
        return seen;
      }
    }
    return transactions.write(
        connection -> {
          LimitBatch batch = lock(connection, ids);
          LimitCall.CallResult result = batch.run(steps);
          USAGES.put(connection, batch.changedUsages());
          REQUESTS.put(connection, batch.changedRequests());
          // Last: who adds an id that is removed here waits, and must not hold what is added here.
          REQUESTS.remove(connection, batch.changedRequests());
          return result;
        });
  }

  /** Reads usages first: a request that is known then has been counted in them. */
  private LimitBatch read(Connection connection, Ids ids) throws SQLException {
    return batch(
        connection,
        USAGES.read(connection, ids.usages()),
        REQUESTS.read(connection, ids.requests()));
  }

  private LimitBatch lock(Connection connection, Ids ids) throws SQLException {
    SortedMap<String, LimitBatch.Row> usages = USAGES.lock(connection, ids.usages());
    SortedMap<String, RememberedRequest> requests = REQUESTS.lock(connection, ids.requests());
    if (usages.size() < ids.usages().size() && !requests.isEmpty()) {
      // A request that was granted in between is found, and its usages, if they are new, are not:
      // they would stay taken when it is refunded. They were added together, so they are there now.
      usages = USAGES.lock(connection, ids.usages());
    }
    return batch(connection, usages, requests);
  }

  private LimitBatch batch(
      Connection connection,
      SortedMap<String, LimitBatch.Row> usages,
      SortedMap<String, RememberedRequest> requests)
      throws SQLException {
    return new LimitBatch(usages, requests, now(connection));
  }

  private long now(Connection connection) throws SQLException {
    return ClockReading.now(connection, Dialect.ORACLE, clock);
  }

  @Override
  public Reading read(List<LimitRequest> parts) {
    List<String> ids =
        parts.stream().map(part -> UsageId.inOracle(part.policy(), part.key())).toList();
    return transactions.read(
        connection -> {
          SortedMap<String, LimitBatch.Row> rows = USAGES.read(connection, new TreeSet<>(ids));
          List<Counted> usages = new ArrayList<>(ids.size());
          for (String id : ids) {
            LimitBatch.Row row = rows.getOrDefault(id, LimitBatch.Row.NONE);
            usages.add(new Counted(row.usage(), row.countedBy()));
          }
          return new Reading(now(connection), usages);
        });
  }

  @Override
  public Optional<AcquireResult> recall(AcquireRequest request) {
    return transactions.read(
        connection -> {
          List<RememberedRequest> found =
              List.copyOf(REQUESTS.read(connection, List.of(request.requestId())).values());
          long nowMicros = now(connection);
          return found.stream()
              .filter(grant -> grant.isKnownAt(nowMicros))
              .map(grant -> grant.resultFor(request, nowMicros))
              .findFirst();
        });
  }

  @Override
  public void forget(Policy policy, String key) {
    int unused =
        transactions.autoCommit(
            connection -> Sql.update(connection, FORGET, UsageId.inOracle(policy, key)));
  }

  @Override
  public void settle(Policy policy) {
    String until = UsageId.afterInOracle(policy);
    List<String> page = page(UsageId.beforeInOracle(policy), until);
    while (!page.isEmpty()) {
      settle(policy, page);
      page = page(page.getLast(), until);
    }
  }

  private List<String> page(String after, String until) {
    return transactions.read(
        connection ->
            Sql.list(connection, row -> row.getString(1), PAGE, after, until, SETTLED_ROWS));
  }

  @Override
  public void settle(Policy policy, String key) {
    settle(policy, List.of(UsageId.inOracle(policy, key)));
  }

  private void settle(Policy policy, List<String> ids) {
    transactions.write(
        connection -> {
          LimitBatch batch = batch(connection, USAGES.lock(connection, ids), new TreeMap<>());
          ids.forEach(id -> batch.settle(policy, id));
          USAGES.put(connection, batch.changedUsages());
          return true;
        });
  }
}
