package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Decides about due messages on locked users, one after the other, and writes the results. */
final class ReleasedBatch {
  /** A caller was told that it is kept, so it cannot be withdrawn: it counts as shared. */
  private static final String RELEASE =
      """
      with message as (
        update notification_message
        set state = 1, changed_at = ?, cost = ?, taken_at = ?, version = ? where id = ?::uuid),
      waiting as (delete from notification_deferred where message_id = ?::uuid)
      insert into notification_outbox (message_id, created_at, claimed_until, is_shared)
      values (?::uuid, ?, 0, true)
      """;

  /** It was never published, so a repeated request is a new one. */
  private static final String FAIL =
      """
      with waiting as (delete from notification_deferred where message_id = ?::uuid)
      update notification_message
      set state = 4, changed_at = ?, reason = ?, idempotency_key = null where id = ?::uuid
      """;

  private static final long AT_ONCE = Micros.EARLIEST;

  private final LockedUsers users;
  private final List<SendResult.Accepted> released = new ArrayList<>();
  private final List<Failed> failed = new ArrayList<>();

  /** When each user may have a place again; the users of all messages that were decided. */
  private final Map<Long, Long> nextMicros = new TreeMap<>();

  private record Failed(UUID message, String reason) {}

  ReleasedBatch(LockedUsers users) {
    this.users = users;
  }

  /** Decides about a message whose user is locked. */
  void decide(Message message) {
    nextMicros.putIfAbsent(message.userId(), AT_ONCE);
    switch (users.placeOfLocked(message)) {
      case SendResult.Accepted accepted -> released.add(accepted);
      case SendResult.Limited limited ->
          postpone(message, users.nowMicros() + limited.decision().retryAfterMicros());
      case SendResult.Closed closed -> postpone(message, closed.opensAtMicros());
      case SendResult.TooExpensive tooExpensive ->
          failed.add(
              new Failed(
                  message.id(),
                  "costs %d, more than the limit of %d"
                      .formatted(tooExpensive.cost(), tooExpensive.state().limit().rateLimit())));
    }
  }

  /** Of several messages without a place, the first that may have one decides. */
  private void postpone(Message message, long untilMicros) {
    nextMicros.merge(
        message.userId(),
        Math.min(untilMicros, Micros.LATEST),
        (known, next) -> known == AT_ONCE ? next : Math.min(known, next));
  }

  List<SendResult.Accepted> released() {
    return released;
  }

  void write(Connection connection) throws SQLException {
    List<Object> writes = users.writes();
    if (!writes.isEmpty()) {
      Sql.update(connection, LockedUsers.WRITE, writes.toArray());
    }
    Batch.send(connection, RELEASE, released, this::parameters);
    Batch.send(
        connection,
        FAIL,
        failed,
        each ->
            new Object[] {
              each.message().toString(), users.nowMicros(), each.reason(), each.message().toString()
            });
    DeferringUsers.reschedule(connection, nextMicros);
  }

  private Object[] parameters(SendResult.Accepted accepted) {
    LockedUsers.TakenPlace place = LockedUsers.TakenPlace.of(accepted);
    long now = users.nowMicros();
    String id = accepted.message().id().toString();
    return new Object[] {
      now, place.cost(), place.takenAtMicros(), place.version(), id, id, id, now
    };
  }
}
