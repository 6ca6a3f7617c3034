package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.MessageLog.Delivery;
import dev.weir.notifications.messages.MessageState;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The parts of messages that a provider has, and their receipts. Only a message of several parts
 * has rows, so that all others cost nothing more.
 */
final class SentParts {
  /**
   * The time tells whether it was this delivery that has made the message sent: the parts are those
   * of the first one. It is recorded again if the answer of the database was lost, and receipts may
   * have come since.
   */
  private static final String ADD =
      """
      insert into notification_part (message_id, part, created_at, provider, provider_id)
      select id, ?, created_at, ?, ? from notification_message
      where id = ?::uuid and state = 2 and changed_at = ?
      on conflict (message_id, part) do update
      set provider = excluded.provider, provider_id = excluded.provider_id,
          state = case when notification_part.provider_id = excluded.provider_id
                       then notification_part.state end
      """;

  private static final String RECORD =
      "update notification_part set state = ? where message_id = ?::uuid and part = ?"
          + " and state is null";

  private static final String UNDELIVERED =
      "select count(*) from notification_part"
          + " where message_id = ?::uuid and state is distinct from 3";

  private SentParts() {}

  private record Part(Delivery delivery, int number) {
    @Nullable Object[] parameters() {
      return new @Nullable Object[] {
        number,
        delivery.provider(),
        delivery.providerIds().get(number),
        delivery.message().toString(),
        Micros.clamped(delivery.at())
      };
    }
  }

  /** Adds the parts of deliveries that were recorded in this transaction. */
  static void add(Connection connection, List<Delivery> deliveries) throws SQLException {
    List<Part> parts = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      for (int i = 0; delivery.providerIds().size() > 1 && i < delivery.providerIds().size(); i++) {
        parts.add(new Part(delivery, i));
      }
    }
    Batch.send(connection, ADD, parts, Part::parameters);
  }

  /**
   * Records the state of a part of a message that is locked; returns true if that decides about the
   * message.
   */
  static boolean isComplete(Connection connection, UUID message, int part, MessageState state)
      throws SQLException {
    String id = message.toString();
    int changed = Sql.update(connection, RECORD, MessageRow.code(state), id, part);
    if (changed == 0 || state == MessageState.FAILED) {
      return changed > 0;
    }
    return Sql.first(connection, row -> row.getLong(1) == 0, UNDELIVERED, id).orElse(false);
  }
}
