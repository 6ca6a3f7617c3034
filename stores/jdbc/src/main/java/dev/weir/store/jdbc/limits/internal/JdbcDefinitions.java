package dev.weir.store.jdbc.limits.internal;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.internal.Definition;
import dev.weir.limits.internal.Definitions;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/** Limits of named resources, in the database. Every node is notified of a change. */
public final class JdbcDefinitions<L> implements Definitions<L> {
  private final Dialect dialect;
  private final Transactions transactions;
  private final StoreClock clock;
  private final Table<L> table;

  /**
   * The table of one kind of limit. Its first column is the resource, followed by the columns of
   * the limit and the times at which it was created and updated.
   *
   * @param ttl the last of the columns, if it is the time to live of leases; the table then has a
   *     column {@code held_until}, see {@link Definition#heldUntil}. Empty if there are no leases
   */
  private record Table<L>(
      String name,
      List<String> columns,
      String ttl,
      Function<L, List<Object>> values,
      Sql.Row<L> limit,
      Channel channel) {
    /** A resource is a reserved word of Oracle. */
    static String key(Dialect dialect) {
      return dialect == Dialect.ORACLE ? "resource_name" : "resource";
    }

    String all(Dialect dialect) {
      return key(dialect) + ", " + String.join(", ", columns) + ", created_at, updated_at";
    }

    String select(Dialect dialect) {
      return "select %s%s from %s where %s = ?"
          .formatted(all(dialect), hasLeases() ? ", held_until" : "", name, key(dialect));
    }

    boolean hasLeases() {
      return !ttl.isEmpty();
    }

    /**
     * Returns the assignment that remembers until when leases with a longer time to live are held.
     *
     * @param next the new time to live
     * @param now the time of the change
     */
    private String remember(String next, String now) {
      return hasLeases()
          ? """
          , held_until = case when d.%1$s > %2$s and %3$s + d.%1$s > d.held_until
              then %3$s + d.%1$s else d.held_until end
          """
              .formatted(ttl, next, now)
          : "";
    }

    String upsert() {
      List<String> sets = new ArrayList<>();
      for (String column : columns) {
        sets.add(column + " = excluded." + column);
      }
      String all = all(Dialect.POSTGRESQL);
      return "insert into %s as d (%s) values (?%s, ?, ?) on conflict (resource) do update set %s"
              .formatted(name, all, ", ?".repeat(columns.size()), String.join(", ", sets))
          + ", updated_at = excluded.updated_at"
          + remember("excluded." + ttl, "excluded.updated_at")
          + " returning "
          + all
          + (hasLeases() ? ", held_until" : "");
    }

    String merge() {
      return """
      merge into %s d using dual on (d.resource_name = ?)
      when matched then update set d.%s = ?, d.updated_at = ?%s
      when not matched then insert (%s) values (?, ?, ?%s)
      """
          .formatted(
              name,
              String.join(" = ?, d.", columns),
              remember("?", "?"),
              all(Dialect.ORACLE),
              ", ?".repeat(columns.size()));
    }

    Definition<L> read(ResultSet row) throws SQLException {
      return new Definition<>(
          row.getString(1),
          limit.read(row),
          Micros.instant(row.getLong("created_at")),
          Micros.instant(row.getLong("updated_at")),
          hasLeases() ? Micros.instant(row.getLong("held_until")) : Definition.NEVER_LONGER);
    }
  }

  private JdbcDefinitions(Dialect dialect, DataSource database, StoreClock clock, Table<L> table) {
    this.dialect = dialect;
    this.transactions = Transactions.failFast(dialect, database, () -> {});
    this.clock = clock;
    this.table = table;
  }

  /** Definitions in PostgreSQL. */
  public static JdbcDefinitions<TokenBucket> buckets(DataSource database, StoreClock clock) {
    return buckets(Dialect.POSTGRESQL, database, clock);
  }

  public static JdbcDefinitions<TokenBucket> buckets(
      Dialect dialect, DataSource database, StoreClock clock) {
    return new JdbcDefinitions<>(
        dialect,
        database,
        clock,
        new Table<>(
            "bucket_definition",
            List.of("capacity", "refill_tokens", "refill_micros"),
            "",
            bucket -> List.of(bucket.capacity(), bucket.refillTokens(), bucket.refillMicros()),
            row ->
                new TokenBucket(
                    row.getLong("capacity"),
                    row.getLong("refill_tokens"),
                    row.getLong("refill_micros")),
            Channel.BUCKET));
  }

  /** Definitions in PostgreSQL. */
  public static JdbcDefinitions<Concurrency> concurrency(DataSource database, StoreClock clock) {
    return concurrency(Dialect.POSTGRESQL, database, clock);
  }

  public static JdbcDefinitions<Concurrency> concurrency(
      Dialect dialect, DataSource database, StoreClock clock) {
    return new JdbcDefinitions<>(
        dialect,
        database,
        clock,
        new Table<>(
            "concurrency_definition",
            List.of("max_concurrent", "ttl_micros"),
            "ttl_micros",
            limit -> List.of(limit.max(), limit.ttlMicros()),
            row -> new Concurrency(row.getInt("max_concurrent"), row.getLong("ttl_micros")),
            Channel.CONCURRENCY));
  }

  @Override
  public Definition<L> define(String resource, L limit) {
    return transactions.write(
        connection -> {
          long now = ClockReading.now(connection, dialect, clock);
          Definition<L> defined =
              switch (dialect) {
                case POSTGRESQL -> upsert(connection, resource, limit, now);
                case ORACLE -> merge(connection, resource, limit, now);
              };
          table.channel().send(dialect, connection, resource);
          return defined;
        });
  }

  private Definition<L> upsert(Connection connection, String resource, L limit, long now)
      throws SQLException {
    List<Object> values = new ArrayList<>();
    values.add(resource);
    values.addAll(table.values().apply(limit));
    values.add(now);
    values.add(now);
    return Sql.first(connection, table::read, table.upsert(), values.toArray()).orElseThrow();
  }

  /** If two callers define the same resource, the second violates the key and is retried. */
  private Definition<L> merge(Connection connection, String resource, L limit, long now)
      throws SQLException {
    List<Object> columns = table.values().apply(limit);
    List<Object> values = new ArrayList<>();
    values.add(resource);
    values.addAll(columns);
    values.add(now);
    if (table.hasLeases()) {
      values.add(columns.getLast());
      values.add(now);
      values.add(now);
    }
    values.add(resource);
    values.addAll(columns);
    values.add(now);
    values.add(now);
    Sql.update(connection, table.merge(), values.toArray());
    return Sql.first(connection, table::read, table.select(dialect), resource).orElseThrow();
  }

  @Override
  public Optional<Definition<L>> find(String resource) {
    return transactions.read(
        connection -> Sql.first(connection, table::read, table.select(dialect), resource));
  }

  @Override
  public boolean remove(String resource) {
    return transactions.write(
        connection -> {
          int removed =
              Sql.update(
                  connection,
                  "delete from %s where %s = ?".formatted(table.name(), Table.key(dialect)),
                  resource);
          table.channel().send(dialect, connection, resource);
          return removed > 0;
        });
  }
}
