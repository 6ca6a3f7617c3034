package dev.weir.store.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A notification channel of the database: carries names of changed objects to every node. */
public enum Channel {
  SLOT_CONFIG("weir_slot_config"),
  RULE("weir_rule"),
  ROUTE("weir_route"),
  BUCKET("weir_bucket"),
  CONCURRENCY("weir_concurrency"),
  NOTIFICATION_USER("weir_notification_user");

  /** Sent in place of a name when all of them may have changed. */
  static final String ALL = "*";

  private final String id;

  Channel(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  /** Makes every node drop its cached values. */
  public void flushEverywhere(DataSource database) {
    Transactions.failFast(database, () -> {})
        .write(
            connection -> {
              send(connection, ALL);
              return true;
            });
  }

  /** Notifies every node of a change, when the transaction commits. */
  public void send(Connection connection, String name) throws SQLException {
    Sql.list(connection, row -> name, "select pg_notify(?, ?)", id, name);
  }
}
