package dev.weir.store.jdbc.limits.internal;

import dev.weir.engine.limits.StoreHistory;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Remembers in PostgreSQL which stores were used, and what was last seen of them. */
public final class JdbcStoreHistory implements StoreHistory {
  private static final String NAME =
      "insert into limit_store (name) values (?) on conflict do nothing";

  /** Locked, so that a second node waits until the first has prepared the store. */
  private static final String LOCK =
      "select is_used, since_micros, written_at_micros, server, joined_at_micros"
          + " from limit_store where name = ? for update";

  private static final String USED = "update limit_store set is_used = true where name = ?";

  private static final String SAW =
      "update limit_store set since_micros = ?, written_at_micros = ?, server = ?,"
          + " joined_at_micros = ?"
          + " where name = ? and (since_micros is null"
          + " or (since_micros, written_at_micros) < (?, ?))";

  private final Transactions transactions;

  public JdbcStoreHistory(DataSource database) {
    this.transactions = Transactions.failFast(database, () -> {});
  }

  @Override
  public void prepare(String store, Step step) {
    transactions.write(
        connection -> {
          update(connection, NAME, store);
          step.prepare(Sql.first(connection, JdbcStoreHistory::past, LOCK, store).orElseThrow());
          return update(connection, USED, store);
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
                mark.writtenAtMicros()));
  }

  private static Past past(ResultSet row) throws SQLException {
    boolean isUsed = row.getBoolean(1);
    Mark mark = new Mark(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
    return new Past(!isUsed, row.wasNull() ? Optional.empty() : Optional.of(mark));
  }

  private static int update(Connection connection, String sql, String store) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, store);
      return statement.executeUpdate();
    }
  }
}
