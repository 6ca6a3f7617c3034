package dev.weir.notifications.jdbc;

import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The users with deferred messages, one row each, with the time at which one of their messages may
 * be released. A user without a place changes this row, not the rows of all its messages.
 */
final class DeferringUsers {
  private static final String EXPECT =
      """
      insert into notification_deferred_user as u (user_id, next_at) values (?, ?)
      on conflict (user_id) do update set next_at = least(u.next_at, excluded.next_at)
      """;

  /** By an index that has the messages of a user in the order in which they are due. */
  private static final String FIRST_DUE =
      """
      (select d.due_at from notification_deferred d where d.user_id = u.user_id
       order by d.due_at, d.message_id limit 1)
      """;

  private static final String RESCHEDULE =
      "update notification_deferred_user u set next_at = greatest(?, "
          + FIRST_DUE
          + ") where u.user_id = ?";

  private static final String POSTPONE =
      "update notification_deferred_user u set next_at = greatest(u.next_at, "
          + FIRST_DUE
          + ") where u.user_id = any(?)";

  private static final String REMOVE =
      """
      delete from notification_deferred_user u where u.user_id = any(?)
        and not exists (
          select from notification_deferred d where d.user_id = u.user_id offset 0)
      """;

  private static final String DELAY =
      """
      update notification_deferred_user set next_at = greatest(next_at, ?) where user_id = any(?)
      """;

  /**
   * One whose messages are not due is looked at once, and left out again. Found by the user, not by
   * the index of the times.
   */
  private static final String WAKE =
      """
      update notification_deferred_user set next_at = ? where user_id = any(?) and next_at + 0 > ?
      """;

  /** Nodes of the version before write messages without their users. */
  private static final String ADOPT =
      """
      with unowned as (
        select message_id from notification_deferred where user_id is null
        limit 1000 for update skip locked),
      owned as (
        update notification_deferred d
        set user_id = (select m.user_id from notification_message m where m.id = d.message_id)
        where d.message_id = any(array(select message_id from unowned))
        returning d.user_id, d.due_at)
      insert into notification_deferred_user as u (user_id, next_at)
      select user_id, min(due_at) from owned group by user_id order by user_id
      on conflict (user_id) do update set next_at = least(u.next_at, excluded.next_at)
      """;

  private static final String HAS_UNOWNED =
      "select exists (select from notification_deferred where user_id is null)";

  private DeferringUsers() {}

  /** Notes that a message of a user is due at a time. */
  static void expect(Connection connection, long userId, long dueAtMicros) throws SQLException {
    Sql.update(connection, EXPECT, userId, dueAtMicros);
  }

  /**
   * Notes when each of the users may have a place again. Those without messages are removed.
   *
   * @param nextMicros by the id of the user, in order
   */
  static void reschedule(Connection connection, Map<Long, Long> nextMicros) throws SQLException {
    if (nextMicros.isEmpty()) {
      return;
    }
    remove(connection, nextMicros.keySet());
    Batch.send(
        connection,
        RESCHEDULE,
        List.copyOf(nextMicros.entrySet()),
        each -> new Object[] {each.getValue(), each.getKey()});
  }

  /** Leaves locked users out until their first message is due; removes those without one. */
  static void postpone(Connection connection, Collection<Long> userIds) throws SQLException {
    remove(connection, userIds);
    Sql.update(connection, POSTPONE, (Object) ids(userIds));
  }

  private static void remove(Connection connection, Collection<Long> userIds) throws SQLException {
    Sql.update(connection, REMOVE, (Object) ids(userIds));
  }

  /** Leaves users out until a time. */
  static void delay(Connection connection, Collection<Long> userIds, long untilMicros)
      throws SQLException {
    if (!userIds.isEmpty()) {
      Sql.update(connection, DELAY, untilMicros, ids(userIds));
    }
  }

  /** Looks at locked users again that may have a place earlier than was known. */
  static void wake(Connection connection, Collection<Long> userIds, long nowMicros)
      throws SQLException {
    Sql.update(connection, WAKE, nowMicros, ids(userIds), nowMicros);
  }

  static boolean hasUnowned(Connection connection) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), HAS_UNOWNED).orElseThrow();
  }

  static int adopt(Connection connection) throws SQLException {
    return Sql.update(connection, ADOPT);
  }

  private static long[] ids(Collection<Long> userIds) {
    return userIds.stream().mapToLong(Long::longValue).sorted().toArray();
  }
}
