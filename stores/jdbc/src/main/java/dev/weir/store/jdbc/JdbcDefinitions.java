package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.Defined;
import dev.weir.engine.limits.Definitions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/** What holds for which resource, in PostgreSQL. A change tells every node. */
public final class JdbcDefinitions<L> implements Definitions<L> {
  private final Transactions transactions;
  private final StoreClock clock;
  private final Table<L> table;

  /**
   * The table of one kind of limit. Its first column is the resource, then come those of the limit,
   * then when it was made and changed.
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

    Defined<L> read(ResultSet row) throws SQLException {
      return new Defined<>(
          row.getString("resource"),
          limit.read(row),
          Micros.instant(row.getLong("created_at")),
          Micros.instant(row.getLong("updated_at")));
    }
  }

  private JdbcDefinitions(DataSource database, StoreClock clock, Table<L> table) {
    this.transactions = Transactions.prompt(database, () -> {});
    this.clock = clock;
    this.table = table;
  }

  public static JdbcDefinitions<TokenBucket> buckets(DataSource database, StoreClock clock) {
    return new JdbcDefinitions<>(
        database,
        clock,
        new Table<>(
            "bucket",
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
            "concurrency",
            List.of("max_concurrent", "ttl_micros"),
            limit -> List.of(limit.max(), limit.ttlMicros()),
            row -> new Concurrency(row.getInt("max_concurrent"), row.getLong("ttl_micros")),
            Channel.CONCURRENCY));
  }

  @Override
  public Defined<L> define(String resource, L limit) {
    return transactions.write(
        connection -> {
          long now = Sql.now(connection, clock);
          List<Object> values = new ArrayList<>();
          values.add(resource);
          values.addAll(table.values().apply(limit));
          values.add(now);
          values.add(now);
          Defined<L> defined =
              Sql.first(connection, table::read, table.upsert(), values.toArray()).orElseThrow();
          table.channel().send(connection, resource);
          return defined;
        });
  }

  @Override
  public Optional<Defined<L>> find(String resource) {
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
