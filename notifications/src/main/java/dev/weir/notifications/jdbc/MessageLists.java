package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageQuery.Cursor;
import dev.weir.notifications.messages.MessageStatus;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Lists messages by user, state and time.
 *
 * <p>The state is in no index, because each message changes it several times. So a page reads up to
 * a number of messages of any state, and the last of them is returned as well, whatever its state
 * is: there the next page begins. That is one statement, because messages that arrive between two
 * would move the last one.
 */
final class MessageLists {
  /** How many messages are read for a page. */
  static final int MAX_READ = 10_000;

  private static final String PLACED =
      """
      select m.id, m.user_id, m.parts, m.state, m.created_at, m.changed_at, m.reason, d.due_at,
             m.place
      from (
        select id, user_id, parts, state, created_at, changed_at, reason,
               row_number() over (order by %2$s) as place
        from notification_message
        where %1$s
        order by %2$s limit ?) m
      """
          + MessageRow.DEFERRAL;

  private static final String ORDER = "created_at desc, id desc";

  private static final String ORDER_OF_ONE_USER = "user_id desc, " + ORDER;

  private static final String OF_ALL_USERS =
      PLACED.formatted("created_at >= ? and (created_at, id) < (?, ?::uuid)", ORDER);

  /**
   * The user is a part of all keys, so that no other index than that by user has their order: an
   * outdated statistic would choose that by time, and read the messages of all users.
   */
  private static final String OF_ONE_USER =
      PLACED.formatted(
          "(user_id, created_at) >= (?, ?) and (user_id, created_at, id) < (?, ?, ?::uuid)",
          ORDER_OF_ONE_USER);

  private static final String IN_ONE_STATE = "where m.state = ? or m.place = ?\n";

  /** No id comes before it. */
  private static final UUID FIRST_ID = new UUID(0, 0);

  private final Transactions transactions;

  MessageLists(Transactions transactions) {
    this.transactions = transactions;
  }

  MessageQuery.Page page(MessageQuery query) {
    boolean isOfOne = query.userId().isPresent();
    Cursor end = end(query);
    List<Object> parameters = new ArrayList<>();
    query.userId().ifPresent(parameters::add);
    parameters.add(Micros.clamped(query.from()));
    query.userId().ifPresent(parameters::add);
    parameters.add(end.createdAtMicros());
    parameters.add(end.messageId().toString());
    parameters.add(MAX_READ);
    StringBuilder sql = new StringBuilder(isOfOne ? OF_ONE_USER : OF_ALL_USERS);
    if (query.state().isPresent()) {
      sql.append(IN_ONE_STATE);
      parameters.add(MessageRow.code(query.state().get()));
      parameters.add(MAX_READ);
    }
    sql.append("order by ").append(isOfOne ? ORDER_OF_ONE_USER : ORDER).append(" limit ?");
    parameters.add(query.max());
    return page(
        query,
        transactions.read(
            connection -> Sql.list(connection, Read::read, sql.toString(), parameters.toArray())));
  }

  /** Returns where the messages end that are older than both the cursor and the time asked for. */
  private static Cursor end(MessageQuery query) {
    long before = Micros.clamped(query.before());
    return before <= query.after().createdAtMicros() ? new Cursor(before, FIRST_ID) : query.after();
  }

  private static MessageQuery.Page page(MessageQuery query, List<Read> read) {
    List<MessageStatus> messages =
        read.stream()
            .map(Read::message)
            .filter(message -> query.state().orElse(message.state()) == message.state())
            .toList();
    boolean isLast =
        read.size() < query.max() && (read.isEmpty() || read.getLast().place() < MAX_READ);
    return new MessageQuery.Page(
        messages, isLast ? Optional.empty() : Optional.of(read.getLast().cursor()));
  }

  /** A message and its number among those that were read for the page. */
  private record Read(MessageStatus message, Cursor cursor, long place) {
    static Read read(ResultSet row) throws SQLException {
      UUID id = row.getObject(1, UUID.class);
      long createdAt = row.getLong(5);
      long dueAtMicros = row.getLong(8);
      Optional<Instant> dueAt =
          row.wasNull() ? Optional.empty() : Optional.of(Micros.instant(dueAtMicros));
      return new Read(
          new MessageStatus(
              id,
              row.getLong(2),
              row.getInt(3),
              MessageRow.state(row.getInt(4)),
              Micros.instant(createdAt),
              Micros.instant(row.getLong(6)),
              dueAt,
              Optional.ofNullable(row.getString(7))),
          new Cursor(createdAt, id),
          row.getLong(9));
    }
  }
}
