package dev.weir.store.jdbc;

import dev.weir.engine.limits.StoreHistory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Remembers in PostgreSQL which stores were used. */
public final class JdbcStoreHistory implements StoreHistory {
  private static final String NAME =
      "insert into limit_store (name) values (?) on conflict do nothing";

  /** Locked, so that a second node waits until the first has prepared the store. */
  private static final String LOCK = "select is_used from limit_store where name = ? for update";

  private static final String USED = "update limit_store set is_used = true where name = ?";

  private final Transactions transactions;

  public JdbcStoreHistory(DataSource database) {
    this.transactions = Transactions.prompt(database, () -> {});
  }

  @Override
  public void prepare(String store, Step step) {
    transactions.write(
        connection -> {
          update(connection, NAME, store);
          boolean isUsed =
              Sql.first(connection, row -> row.getBoolean(1), LOCK, store).orElseThrow();
          step.prepare(!isUsed);
          return update(connection, USED, store);
        });
  }

  private static int update(Connection connection, String sql, String store) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, store);
      return statement.executeUpdate();
    }
  }
}
