package dev.weir.store.jdbc.limits;

import dev.weir.internal.Micros;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LiveLeases;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Changes;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.OracleTable;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Leases in Oracle: lock the resources of a batch, read all of their leases and the clock, decide
 * by core, write what has changed.
 *
 * <p>A resource without leases may have no row to lock. If another node adds it first, this one
 * violates the key, and decides everything again.
 */
final class OracleLeases implements LeaseTables {
  /** {@code remove_at} is ahead by at least this, so that few steps have to change it. */
  private static final long SLACK_MICROS = Micros.floor(Duration.ofMinutes(1));

  /** The primary key of a lease. */
  private record Key(String resource, String id) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::resource).thenComparing(Key::id);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** Resources, and when each may be removed. */
  private static final OracleTable<String, Long> RESOURCES =
      OracleTable.byText(
          "lease_resource",
          "resource_name",
          List.of("remove_at"),
          row -> row.getLong(2),
          removeAtMicros -> List.of(removeAtMicros));

  private static final OracleTable<Key, Lease> LEASES =
      new OracleTable<>(
          "lease",
          List.of("resource_name", "lease_id"),
          List.of("places", "expires_at"),
          row -> new Key(row.getString(1), row.getString(2)),
          row -> new Lease(row.getString(2), row.getInt(3), row.getLong(4)),
          key -> List.of(key.resource(), key.id()),
          lease -> List.of(lease.places(), lease.expiresAtMicros()));

  private static final String CURRENT =
      "select sum(l.places) from lease l where l.resource_name = ? and l.expires_at > ?";

  private final Transactions transactions;
  private final StoreClock clock;

  OracleLeases(Transactions transactions, StoreClock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public List<LeaseDecision> run(List<LeaseStep> steps) {
    return transactions.write(connection -> run(connection, steps));
  }

  private List<LeaseDecision> run(Connection connection, List<LeaseStep> steps)
      throws SQLException {
    TreeSet<String> names =
        steps.stream().map(LeaseStep::resource).collect(Collectors.toCollection(TreeSet::new));
    SortedMap<String, Long> resources = RESOURCES.lock(connection, names);
    SortedMap<Key, Lease> leases = LEASES.read(connection, resources.keySet());
    long nowMicros = now(connection);
    Map<String, LiveLeases> live = byResource(leases);
    List<LeaseDecision> decisions = new ArrayList<>(steps.size());
    for (LeaseStep step : steps) {
      LiveLeases before = live.getOrDefault(step.resource(), LiveLeases.NONE);
      LiveLeases.Step<? extends LeaseDecision> done = step.apply(before, nowMicros);
      live.put(step.resource(), done.next());
      decisions.add(done.decision());
    }
    // First, because another node may have added the same resource meanwhile.
    RESOURCES.put(connection, new Changes<>(resources, removals(resources, live, nowMicros)));
    Changes<Key, Lease> changes = new Changes<>(leases, byKey(live));
    LEASES.put(connection, changes);
    LEASES.remove(connection, changes);
    return decisions;
  }

  private static Map<String, LiveLeases> byResource(SortedMap<Key, Lease> leases) {
    Map<String, List<Lease>> grouped = new HashMap<>();
    leases.forEach(
        (key, lease) ->
            grouped.computeIfAbsent(key.resource(), resource -> new ArrayList<>()).add(lease));
    Map<String, LiveLeases> live = new HashMap<>();
    grouped.forEach((resource, all) -> live.put(resource, LiveLeases.of(all)));
    return live;
  }

  private static SortedMap<Key, Lease> byKey(Map<String, LiveLeases> live) {
    SortedMap<Key, Lease> leases = new TreeMap<>();
    live.forEach(
        (resource, all) ->
            all.leases().forEach(lease -> leases.put(new Key(resource, lease.id()), lease)));
    return leases;
  }

  /** Returns when each resource may be removed, those included that now have their first lease. */
  private static SortedMap<String, Long> removals(
      SortedMap<String, Long> resources, Map<String, LiveLeases> live, long nowMicros) {
    SortedMap<String, Long> removals = new TreeMap<>(resources);
    live.forEach(
        (resource, leases) -> {
          if (!leases.isEmpty()) {
            long endsAt = leases.leases().getLast().expiresAtMicros();
            if (endsAt > resources.getOrDefault(resource, Micros.EARLIEST)) {
              removals.put(resource, endsAt + Math.max(endsAt - nowMicros, SLACK_MICROS));
            }
          }
        });
    return removals;
  }

  private long now(Connection connection) throws SQLException {
    return ClockReading.now(connection, Dialect.ORACLE, clock);
  }

  @Override
  public int current(String resource) {
    return transactions
        .read(
            connection ->
                // The sum of no places is null, which is read as 0.
                Sql.first(connection, row -> row.getInt(1), CURRENT, resource, now(connection)))
        .orElse(0);
  }
}
