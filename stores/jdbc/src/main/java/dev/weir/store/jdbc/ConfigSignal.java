package dev.weir.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** The message by which the database tells every node that a configuration has changed. */
final class ConfigSignal {
  static final String CHANNEL = "weir_slot_config";

  /** In place of a name: all of them. */
  static final String ALL = "*";

  private ConfigSignal() {}

  /** Goes out with the commit. */
  static void send(Connection connection, String name) throws SQLException {
    Sql.list(connection, row -> name, "select pg_notify(?, ?)", CHANNEL, name);
  }
}
