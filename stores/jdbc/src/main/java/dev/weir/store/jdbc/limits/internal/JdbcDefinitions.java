package dev.weir.store.jdbc.limits.internal;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.internal.Definition;
import dev.weir.engine.limits.internal.Definitions;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/** Limits of named resources, in PostgreSQL. Every node is notified of a change. */
public final class JdbcDefinitions<L> implements Definitions<L> {
  private final Transactions transactions;
  private final StoreClock clock;
  private final Table<L> table;

  /**
   * The table of one kind of limit. Its first column is the resource, followed by the columns of
   * the limit and the times at which it was created and updated.
   */
  private record Table<L>(
      String name,
      List<String> columns,
      Function<L, List<Object>> values,
      Sql.Row<L> limit,
      Channel channel) {
    String all() {
      return "resource, " + String.join(", ", columns) + ", created_at, updated_at";
    }

    String upsert() {
      List<String> sets = new ArrayList<>();
      for (String column : columns) {
        sets.add(column + " = excluded." + column);
      }
      return "insert into %s (%s) values (?%s, ?, ?) on conflict (resource) do update set %s"
              .formatted(name, all(), ", ?".repeat(columns.size()), String.join(", ", sets))
          + ", updated_at = excluded.updated_at returning "
          + all();
    }

    Definition<L> read(ResultSet row) throws SQLException {
      return new Definition<>(
          row.getString("resource"),
          limit.read(row),
          Micros.instant(row.getLong("created_at")),
          Micros.instant(row.getLong("updated_at")));
    }
  }

  private JdbcDefinitions(DataSource database, StoreClock clock, Table<L> table) {
    this.transactions = Transactions.failFast(database, () -> {});
    this.clock = clock;
    this.table = table;
  }

  public static JdbcDefinitions<TokenBucket> buckets(DataSource database, StoreClock clock) {
    return new JdbcDefinitions<>(
        database,
        clock,
        new Table<>(
            "bucket_definition",
            List.of("capacity", "refill_tokens", "refill_micros"),
            bucket -> List.of(bucket.capacity(), bucket.refillTokens(), bucket.refillMicros()),
            row ->
                new TokenBucket(
                    row.getLong("capacity"),
                    row.getLong("refill_tokens"),
                    row.getLong("refill_micros")),
            Channel.BUCKET));
  }

  public static JdbcDefinitions<Concurrency> concurrency(DataSource database, StoreClock clock) {
    return new JdbcDefinitions<>(
        database,
        clock,
        new Table<>(
            "concurrency_definition",
            List.of("max_concurrent", "ttl_micros"),
            limit -> List.of(limit.max(), limit.ttlMicros()),
            row -> new Concurrency(row.getInt("max_concurrent"), row.getLong("ttl_micros")),
            Channel.CONCURRENCY));
  }

  @Override
  public Definition<L> define(String resource, L limit) {
    return transactions.write(
        connection -> {
          long now = Sql.now(connection, clock);
          List<Object> values = new ArrayList<>();
          values.add(resource);
          values.addAll(table.values().apply(limit));
          values.add(now);
          values.add(now);
          Definition<L> defined =
              Sql.first(connection, table::read, table.upsert(), values.toArray()).orElseThrow();
          table.channel().send(connection, resource);
          return defined;
        });
  }

  @Override
  public Optional<Definition<L>> find(String resource) {
    return transactions.read(
        connection ->
            Sql.first(
                connection,
                table::read,
                "select %s from %s where resource = ?".formatted(table.all(), table.name()),
                resource));
  }

  @Override
  public boolean remove(String resource) {
    return transactions.write(
        connection -> {
          int removed =
              Sql.update(
                  connection,
                  "delete from %s where resource = ?".formatted(table.name()),
                  resource);
          table.channel().send(connection, resource);
          return removed > 0;
        });
  }
}
