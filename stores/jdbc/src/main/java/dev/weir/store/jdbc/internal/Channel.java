package dev.weir.store.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A notification channel of the database: carries names of changed objects to every node. In
 * PostgreSQL it is a channel of {@code NOTIFY}; in Oracle a counter that every node polls, without
 * names.
 */
public enum Channel {
  SLOT_CONFIG("weir_slot_config"),
  RULE("weir_rule"),
  ROUTE("weir_route"),
  BUCKET("weir_bucket"),
  CONCURRENCY("weir_concurrency"),
  NOTIFICATION_USER("weir_notification_user");

  /** Sent in place of a name when all of them may have changed. */
  static final String ALL = "*";

  /** An update alone would wait for another transaction for as long as that takes. */
  static final String LOCK_COUNT =
      "select changes from change_counter where channel = ? " + Dialect.ORACLE.forUpdate();

  private static final String COUNT =
      "update change_counter set changes = changes + ? where channel = ?";

  private final String id;

  Channel(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  /** Makes every node drop its cached values. */
  public void flushEverywhere(Dialect dialect, DataSource database) {
    Transactions.failFast(dialect, database, () -> {})
        .write(
            connection -> {
              send(dialect, connection, ALL);
              return true;
            });
  }

  /**
   * Notifies every node of a change, when the transaction commits. In Oracle the counter stays
   * locked until then, so this should be the last statement of the transaction.
   */
  public void send(Dialect dialect, Connection connection, String name) throws SQLException {
    switch (dialect) {
      case POSTGRESQL -> Sql.list(connection, row -> name, "select pg_notify(?, ?)", id, name);
      case ORACLE -> {
        Sql.first(connection, row -> true, LOCK_COUNT, id);
        Sql.update(connection, COUNT, RandomStep.next(), id);
      }
    }
  }
}
