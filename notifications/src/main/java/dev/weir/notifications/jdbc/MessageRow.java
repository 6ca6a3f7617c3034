package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;

/** How messages are read from {@code notification_message}. */
final class MessageRow {
  /** Columns of a message {@code m} and its deferral {@code d}, see {@link #DEFERRAL}. */
  static final String COLUMNS =
      "m.id, m.user_id, m.text, m.parts, m.state, m.created_at, m.changed_at, m.reason, d.due_at";

  /** The number of columns. */
  static final int WIDTH = 9;

  /** Joins the deferral of a message; by its key, whatever the planner believes about sizes. */
  static final String DEFERRAL =
      """
      left join lateral (
        select w.due_at from notification_deferred w where w.message_id = m.id offset 0) d on true
      """;

  private MessageRow() {}

  static Message message(ResultSet row) throws SQLException {
    return new Message(
        row.getObject(1, UUID.class), row.getLong(2), row.getString(3), row.getInt(4));
  }

  static MessageRecord read(ResultSet row) throws SQLException {
    long dueAtMicros = row.getLong(9);
    Optional<Instant> dueAt =
        row.wasNull() ? Optional.empty() : Optional.of(Micros.instant(dueAtMicros));
    return new MessageRecord(
        message(row),
        state(row.getInt(5)),
        Micros.instant(row.getLong(6)),
        Micros.instant(row.getLong(7)),
        dueAt,
        Optional.ofNullable(row.getString(8)));
  }

  /** Returns ids as the statements expect them; the driver has no arrays of UUIDs. */
  static String[] ids(Collection<UUID> messages) {
    return messages.stream().map(UUID::toString).toArray(String[]::new);
  }

  static int code(MessageState state) {
    return switch (state) {
      case DEFERRED -> 0;
      case ACCEPTED -> 1;
      case SENT -> 2;
      case DELIVERED -> 3;
      case FAILED -> 4;
      case CANCELLED -> 5;
      case UNKNOWN -> 6;
    };
  }

  static MessageState state(int code) {
    for (MessageState state : MessageState.values()) {
      if (code(state) == code) {
        return state;
      }
    }
    throw new IllegalStateException("unknown state of a message: " + code);
  }
}
