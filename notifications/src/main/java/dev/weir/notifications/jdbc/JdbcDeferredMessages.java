package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
      insert into notification_deferred (message_id, due_at, user_id) values (?::uuid, ?, ?)
      """;

  private static final String SELECT =
      "select "
          + MessageRow.COLUMNS
          + """

          from notification_deferred d cross join lateral (
            select * from notification_message n where n.id = d.message_id offset 0) m
          """;

  /**
   * Of users that may have a place, those who wait for the longest time first. A user without a
   * message that is due has a row without a message.
   */
  private static final String DUE =
      "select "
          + MessageRow.COLUMNS
          + """
          , u.user_id from (
            select user_id from notification_deferred_user where next_at <= ?
            order by next_at, user_id limit ?) u
          left join lateral (
            select w.due_at, w.message_id from notification_deferred w
            where w.user_id = u.user_id and w.due_at <= ?
            order by w.due_at, w.message_id limit %d) d on true
          left join lateral (
            select * from notification_message n where n.id = d.message_id offset 0) m on true
          order by d.due_at, d.message_id
          """
              .formatted(MAX_DUE_OF_USER);

  private static final String IS_FULL =
      "select exists (select from notification_deferred where user_id = ? offset ?)";

  /** How long a user is left out whose row another transaction holds. */
  private static final long BUSY_MICROS = Micros.PER_SECOND;

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
  private final int maxPerUser;
  private final BusyUsers busy;

  /**
   * @param maxPerUser maximum number of deferred messages of a user
   */
  public JdbcDeferredMessages(DataSource database, int maxPerUser) {
    this(database, StoreClock.DATABASE, maxPerUser);
  }

  public JdbcDeferredMessages(DataSource database, StoreClock clock, int maxPerUser) {
    this(database, clock, maxPerUser, BusyUsers.MAX_WAIT);
  }

  /**
   * @param maxWait how long a transaction waits for users that another one has locked
   */
  JdbcDeferredMessages(DataSource database, StoreClock clock, int maxPerUser, Duration maxWait) {
    this.busy = new BusyUsers(maxWait);
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
    this.maxPerUser = maxPerUser;
  }

  @Override
  public SendResult.Deferring defer(SendRequest request, Instant dueAt) {
    BusyUsers.Locking locking = busy.new Locking();
    return transactions.write(
        connection -> defer(connection, request, Micros.clamped(dueAt), locking));
  }

  private SendResult.Deferring defer(
      Connection connection, SendRequest request, long dueAtMicros, BusyUsers.Locking locking)
      throws SQLException {
    Message message = request.message();
    LockedUsers users = locking.lock(connection, clock, List.of(message.userId()));
    if (!users.busy().isEmpty()) {
      return new SendResult.Busy(message.userId());
    }
    Optional<UserState> user = users.find(message.userId());
    if (user.isEmpty()) {
      return new SendResult.UnknownUser(message.userId());
    }
    Optional<SendResult.Known> earlier =
        KnownMessages.of(connection, List.of(request), true).find(request, user.get());
    if (earlier.isPresent()) {
      if (earlier.get() instanceof SendResult.Repeated repeated && !repeated.isPublished()) {
        PlacedBatch.share(connection, List.of(repeated.message().id()));
      }
      return earlier.get();
    }
    if (isFull(connection, message.userId())) {
      return new SendResult.TooManyDeferred(user.get(), dueAtMicros, maxPerUser);
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
        dueAtMicros,
        message.userId());
    DeferringUsers.expect(connection, message.userId(), dueAtMicros);
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

  /** Reads entries of an index, up to the maximum. */
  private boolean isFull(Connection connection, long userId) throws SQLException {
    return Sql.first(connection, row -> row.getBoolean(1), IS_FULL, userId, maxPerUser - 1)
        .orElseThrow();
  }

  @Override
  public List<MessageRecord> due(int max) {
    if (transactions.read(DeferringUsers::hasUnowned)) {
      int unused = transactions.autoCommit(DeferringUsers::adopt);
    }
    List<DueRow> found =
        transactions.read(
            connection -> {
              long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
              return Sql.list(connection, DueRow::read, DUE, now, max, now);
            });
    List<Long> without =
        found.stream().filter(each -> each.message().isEmpty()).map(DueRow::userId).toList();
    if (!without.isEmpty()) {
      tidy(without);
    }
    return found.stream().flatMap(each -> each.message().stream()).limit(max).toList();
  }

  private record DueRow(long userId, Optional<MessageRecord> message) {
    static DueRow read(ResultSet row) throws SQLException {
      Optional<MessageRecord> message =
          row.getObject(1) == null ? Optional.empty() : Optional.of(MessageRow.read(row));
      return new DueRow(row.getLong(MessageRow.WIDTH + 1), message);
    }
  }

  /** Leaves out users whose first message is not due, or was cancelled, until the next one is. */
  private void tidy(List<Long> userIds) {
    BusyUsers.Locking locking = busy.new Locking();
    boolean unused =
        transactions.write(
            connection -> {
              LockedUsers users = locking.lock(connection, clock, userIds);
              DeferringUsers.postpone(connection, users.ids());
              return true;
            });
  }

  @Override
  public List<SendResult.Accepted> release(List<UUID> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    BusyUsers.Locking locking = busy.new Locking();
    return transactions.write(connection -> release(connection, messages, locking));
  }

  private List<SendResult.Accepted> release(
      Connection connection, List<UUID> messages, BusyUsers.Locking locking) throws SQLException {
    MessageOwners owners = MessageOwners.lock(connection, clock, messages, locking);
    LockedUsers users = owners.users();
    if (!users.busy().isEmpty()) {
      long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
      DeferringUsers.delay(connection, users.busy(), now + BUSY_MICROS);
    }
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
