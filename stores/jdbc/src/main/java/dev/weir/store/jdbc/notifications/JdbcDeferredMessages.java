package dev.weir.store.jdbc.notifications;

import dev.weir.core.internal.Micros;
import dev.weir.engine.notifications.DeferredMessages;
import dev.weir.engine.notifications.Message;
import dev.weir.engine.notifications.MessageRecord;
import dev.weir.engine.notifications.MessageState;
import dev.weir.engine.notifications.SendRequest;
import dev.weir.engine.notifications.SendResult;
import dev.weir.engine.notifications.UserState;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Deferred messages in PostgreSQL. Every change of one holds the lock of its user, so that a
 * message is either released or cancelled.
 */
public final class JdbcDeferredMessages implements DeferredMessages {
  private static final String INSERT =
      """
      with messages as (
        insert into notification_message (id, user_id, text, parts, idempotency_key, state,
                                          created_at, changed_at)
        values (?::uuid, ?, ?, ?, ?::text, 0, ?, ?))
      insert into notification_deferred (message_id, due_at) values (?::uuid, ?)
      """;

  private static final String SELECT =
      "select "
          + MessageRow.COLUMNS
          + """

          from notification_deferred d cross join lateral (
            select * from notification_message n where n.id = d.message_id offset 0) m
          """;

  private static final String DUE =
      SELECT + "where d.due_at <= ? order by d.due_at, d.message_id limit ?";

  private static final String DUE_OF =
      SELECT + "where d.message_id = any(?::uuid[]) and d.due_at <= ?";

  private static final String CANCEL =
      """
      with cancelled as (delete from notification_deferred where message_id = ?::uuid returning 1)
      update notification_message set state = 5, changed_at = ?
      where id = ?::uuid and exists (select from cancelled)
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcDeferredMessages(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcDeferredMessages(DataSource database, StoreClock clock) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
  }

  @Override
  public SendResult defer(SendRequest request, Instant dueAt) {
    return transactions.write(connection -> defer(connection, request, Micros.clamped(dueAt)));
  }

  private SendResult defer(Connection connection, SendRequest request, long dueAtMicros)
      throws SQLException {
    Message message = request.message();
    LockedUsers users = LockedUsers.lock(connection, clock, List.of(message.userId()));
    Optional<UserState> user = users.find(message.userId());
    if (user.isEmpty()) {
      return new SendResult.UnknownUser(message.userId());
    }
    Optional<SendResult> earlier =
        KnownMessages.of(connection, List.of(request), true).find(request, user.get());
    if (earlier.isPresent()) {
      if (earlier.get() instanceof SendResult.Repeated repeated && !repeated.isPublished()) {
        PlacedBatch.share(connection, List.of(repeated.message().id()));
      }
      return earlier.get();
    }
    long now = users.nowMicros();
    Sql.update(
        connection,
        INSERT,
        message.id().toString(),
        message.userId(),
        message.text(),
        message.parts(),
        request.idempotencyKey().orElse(null),
        now,
        now,
        message.id().toString(),
        dueAtMicros);
    MessageRecord deferred =
        new MessageRecord(
            message,
            MessageState.DEFERRED,
            Micros.instant(now),
            Micros.instant(now),
            Optional.of(Micros.instant(dueAtMicros)),
            Optional.empty());
    return new SendResult.Deferred(deferred, user.get());
  }

  @Override
  public List<MessageRecord> due(int max) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                MessageRow::read,
                DUE,
                Sql.now(connection, Dialect.POSTGRESQL, clock),
                max));
  }

  @Override
  public List<SendResult.Accepted> release(List<UUID> messages) {
    return messages.isEmpty()
        ? List.of()
        : transactions.write(connection -> release(connection, messages));
  }

  private List<SendResult.Accepted> release(Connection connection, List<UUID> messages)
      throws SQLException {
    MessageOwners owners = MessageOwners.lock(connection, clock, messages);
    LockedUsers users = owners.users();
    Map<UUID, MessageRecord> due = new HashMap<>();
    for (MessageRecord each :
        Sql.list(connection, MessageRow::read, DUE_OF, owners.ids(), users.nowMicros())) {
      due.put(each.message().id(), each);
    }
    ReleasedBatch batch = new ReleasedBatch(users);
    for (UUID id : owners.messages()) {
      @Nullable MessageRecord record = due.get(id);
      if (record != null) {
        batch.decide(record.message());
      }
    }
    batch.write(connection);
    return batch.released();
  }

  @Override
  public Cancelled cancel(UUID message) {
    return transactions.write(
        connection -> {
          MessageOwners owners = MessageOwners.lock(connection, clock, List.of(message));
          if (owners.messages().isEmpty()) {
            return Cancelled.UNKNOWN;
          }
          String id = message.toString();
          int cancelled = Sql.update(connection, CANCEL, id, owners.users().nowMicros(), id);
          return cancelled > 0 || isCancelled(connection, id) ? Cancelled.DONE : Cancelled.TOO_LATE;
        });
  }

  private static boolean isCancelled(Connection connection, String id) throws SQLException {
    return Sql.first(
            connection,
            row -> row.getInt(1) == MessageRow.code(MessageState.CANCELLED),
            "select state from notification_message where id = ?::uuid",
            id)
        .orElse(false);
  }
}
