package dev.weir.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What the database tells every node of: the names of things of one kind that have changed. */
public enum Channel {
  SLOT_CONFIG("weir_slot_config"),
  RULE("weir_rule"),
  ROUTE("weir_route"),
  BUCKET("weir_bucket"),
  CONCURRENCY("weir_concurrency");

  /** In place of a name: all of them. */
  static final String ALL = "*";

  private final String id;

  Channel(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  /** Tells every node to drop what it has cached. */
  public void flushEverywhere(DataSource database) {
    Transactions.prompt(database, () -> {})
        .write(
            connection -> {
              send(connection, ALL);
              return true;
            });
  }

  /** Goes out with the commit. */
  void send(Connection connection, String name) throws SQLException {
    Sql.list(connection, row -> name, "select pg_notify(?, ?)", id, name);
  }
}
