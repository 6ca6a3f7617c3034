package dev.weir.store.jdbc.limits.internal;

import dev.weir.internal.Micros;
import dev.weir.limits.FallbackLog;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import javax.sql.DataSource;

/** Records in PostgreSQL or Oracle until when it may have been used in place of another store. */
public final class JdbcFallbackLog implements FallbackLog {
  private static final String READ =
      "select fallback_until_micros from limit_store"
          + " where name = ? and fallback_until_micros is not null";

  private static final String WRITE =
      "insert into limit_store (name, fallback_until_micros) values (?, ?)"
          + " on conflict (name) do update"
          + " set fallback_until_micros = excluded.fallback_until_micros"
          + " where limit_store.fallback_until_micros is null"
          + " or limit_store.fallback_until_micros < excluded.fallback_until_micros";

  /** If two nodes add the row of a store, the second violates the key and is retried. */
  private static final String MERGE =
      """
      merge into limit_store s using dual on (s.name = ?)
      when matched then update set s.fallback_until_micros =
        case when s.fallback_until_micros >= ? then s.fallback_until_micros else ? end
      when not matched then insert (name, fallback_until_micros) values (?, ?)
      """;

  private final Dialect dialect;
  private final Transactions transactions;
  private final String store;

  /**
   * A log of one store in PostgreSQL.
   *
   * @param store the name of the other store
   */
  public JdbcFallbackLog(DataSource database, String store) {
    this(Dialect.POSTGRESQL, database, store);
  }

  /**
   * A log of one store.
   *
   * @param store the name of the other store
   */
  public JdbcFallbackLog(Dialect dialect, DataSource database, String store) {
    this.dialect = dialect;
    this.transactions = Transactions.failFast(dialect, database, () -> {});
    this.store = store;
  }

  @Override
  public long usedUntilMicros() {
    return transactions.write(
        connection ->
            Sql.first(connection, row -> row.getLong(1), READ, store).orElse(Micros.EARLIEST));
  }

  @Override
  public void uses(long untilMicros) {
    transactions.write(
        connection ->
            switch (dialect) {
              case POSTGRESQL -> Sql.update(connection, WRITE, store, untilMicros);
              case ORACLE ->
                  Sql.update(
                      connection, MERGE, store, untilMicros, untilMicros, store, untilMicros);
            });
  }
}
