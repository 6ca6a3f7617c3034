package dev.weir.notifications.jdbc;

import dev.weir.store.jdbc.Database;
import javax.sql.DataSource;

/** The tables of messages, which are not divided among tests. */
final class Tables {
  private Tables() {}

  /** Removes all rows. Truncating would take longer for so few. */
  static void empty(DataSource database) {
    Database.execute(
        database,
        """
        delete from notification_outbox;
        delete from notification_deferred;
        delete from notification_deferred_user;
        delete from notification_message;
        delete from notification_user
        """);
  }
}
