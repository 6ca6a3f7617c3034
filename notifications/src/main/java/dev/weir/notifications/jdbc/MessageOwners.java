package dev.weir.notifications.jdbc;

import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Messages that exist, and their users, whose locks a change of a message needs. A message that
 * another transaction writes after this look must not be changed: its user is not locked.
 *
 * @param messages in the order in which they were requested, each once
 */
record MessageOwners(List<UUID> messages, LockedUsers users) {
  private static final String SELECT =
      "select id, user_id from notification_message where id = any(?::uuid[])";

  static MessageOwners lock(Connection connection, StoreClock clock, List<UUID> requested)
      throws SQLException {
    return lock(connection, requested, userIds -> LockedUsers.lock(connection, clock, userIds));
  }

  /** Leaves out messages of users that another transaction has locked for long. */
  static MessageOwners lock(
      Connection connection, StoreClock clock, List<UUID> requested, BusyUsers.Locking locking)
      throws SQLException {
    return lock(connection, requested, userIds -> locking.lock(connection, clock, userIds));
  }

  private interface Lock {
    LockedUsers of(Collection<Long> userIds) throws SQLException;
  }

  private static MessageOwners lock(Connection connection, List<UUID> requested, Lock lock)
      throws SQLException {
    Map<UUID, Long> owners = new HashMap<>();
    for (Owner each :
        Sql.list(connection, Owner::read, SELECT, (Object) MessageRow.ids(requested))) {
      owners.put(each.message(), each.userId());
    }
    LockedUsers users = lock.of(owners.values());
    owners.values().removeAll(users.busy());
    return new MessageOwners(
        requested.stream().distinct().filter(owners::containsKey).toList(), users);
  }

  String[] ids() {
    return MessageRow.ids(messages);
  }

  private record Owner(UUID message, long userId) {
    static Owner read(ResultSet row) throws SQLException {
      return new Owner(row.getObject(1, UUID.class), row.getLong(2));
    }
  }
}
