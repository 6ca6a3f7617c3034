package dev.weir.store.jdbc.limits.internal;

import dev.weir.limits.StoreHistory;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Remembers in the database which stores were used, and what was last seen of them. */
public final class JdbcStoreHistory implements StoreHistory {
  /** Locked, so that a second node waits until the first has prepared the store. */
  private static final String LOCK =
      "select is_used, since_micros, written_at_micros, server, joined_at_micros"
          + " from limit_store where name = ? ";

  private static final String USED = "update limit_store set is_used = ? where name = ?";

  private static final String SAW =
      "update limit_store set since_micros = ?, written_at_micros = ?, server = ?,"
          + " joined_at_micros = ?"
          + " where name = ? and (since_micros is null or since_micros < ?"
          + " or (since_micros = ? and written_at_micros < ?))";

  private final Dialect dialect;
  private final Transactions transactions;

  /** The history in PostgreSQL. */
  public JdbcStoreHistory(DataSource database) {
    this(Dialect.POSTGRESQL, database);
  }

  public JdbcStoreHistory(Dialect dialect, DataSource database) {
    this.dialect = dialect;
    this.transactions = Transactions.failFast(dialect, database, () -> {});
  }

  @Override
  public void prepare(String store, Step step) {
    transactions.write(
        connection -> {
          insert(connection, store);
          step.prepare(
              Sql.first(connection, JdbcStoreHistory::past, LOCK + dialect.forUpdate(), store)
                  .orElseThrow());
          return Sql.update(connection, USED, dialect.flag(true), store);
        });
  }

  @Override
  public void saw(String store, Mark mark) {
    transactions.write(
        connection ->
            Sql.update(
                connection,
                SAW,
                mark.sinceMicros(),
                mark.writtenAtMicros(),
                mark.server(),
                mark.joinedAtMicros(),
                store,
                mark.sinceMicros(),
                mark.sinceMicros(),
                mark.writtenAtMicros()));
  }

  private static Past past(ResultSet row) throws SQLException {
    boolean isUsed = row.getBoolean(1);
    Mark mark = new Mark(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
    return new Past(!isUsed, row.wasNull() ? Optional.empty() : Optional.of(mark));
  }

  /** Adds the row of a store if there is none. */
  private void insert(Connection connection, String store) throws SQLException {
    switch (dialect) {
      case POSTGRESQL ->
          Sql.update(
              connection,
              "insert into limit_store (name) values (?) on conflict do nothing",
              store);
      case ORACLE ->
          Sql.update(
              connection,
              "merge into limit_store s using dual on (s.name = ?)"
                  + " when not matched then insert (name) values (?)",
              store,
              store);
    }
  }
}
