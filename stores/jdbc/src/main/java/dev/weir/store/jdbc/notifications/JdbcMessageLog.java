package dev.weir.store.jdbc.notifications;

import dev.weir.core.internal.Micros;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.MessageRecord;
import dev.weir.engine.notifications.MessageState;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The log of messages in PostgreSQL. */
public final class JdbcMessageLog implements MessageLog {
  private static final String FIND =
      "select "
          + MessageRow.COLUMNS
          + " from notification_message m "
          + MessageRow.DEFERRAL
          + "where m.id = ?::uuid";

  private static final String FINISHED =
      "select id from notification_message where id = any(?::uuid[]) and state in (2, 3, 4, 5)";

  /** A state is reached from these states only; the parameter is the new one. */
  private static final String MAY_CHANGE = "(state = 1 or (state = 2 and ?::int in (3, 4)))";

  private static final String RECORD =
      """
      update notification_message
      set state = ?, changed_at = ?, provider = ?, provider_id = coalesce(?::text, provider_id),
          reason = ?::text
      where id = ?::uuid and
      """
          + MAY_CHANGE;

  private static final String NEWEST_OF_PROVIDER =
      """
      select id from notification_message
      where provider_id = ? and provider = ? and provider_id is not null
      order by created_at desc limit 1
      """;

  /**
   * The first receipt wins over what the sender has recorded. A message that failed before it was
   * counted was never published.
   */
  private static final String RECEIPT =
      """
      update notification_message
      set changed_at = case when state = ?::int then changed_at else ? end,
          state = ?, is_reported = true, provider = ?, reason = ?::text
      where id = ?::uuid
        and (state in (1, 2) or (state = 4 and not is_reported and taken_at is not null))
      """;

  private static final String LOCK =
      """
      select state, taken_at is not null from notification_message where id = ?::uuid for update
      """;

  /** A message that failed before it was counted was never published. */
  private static final String REOPEN =
      """
      update notification_message
      set state = 1, changed_at = ?, reason = null, is_reported = false
      where id = any(?::uuid[]) and state = 4 and taken_at is not null and changed_at <= ?
      returning id
      """;

  /**
   * The time of creation is indexed; only what was deferred is counted much later. Both are times
   * of the database. The last change may be a time of a node, which keeps a message longer at most.
   */
  private static final String REMOVE =
      """
      delete from notification_message where id = any(array(
        select m.id from notification_message m
        where m.created_at < ? and greatest(m.taken_at, m.changed_at) < ?
          and m.state in (2, 3, 4, 5)
          and not exists (select from notification_outbox o where o.message_id = m.id)
        order by m.created_at limit ? for update of m skip locked))
      """;

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcMessageLog(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcMessageLog(DataSource database, StoreClock clock) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
  }

  @Override
  public Optional<MessageRecord> find(UUID message) {
    return transactions.read(
        connection -> Sql.first(connection, MessageRow::read, FIND, message.toString()));
  }

  @Override
  public Set<UUID> finished(List<UUID> messages) {
    return messages.isEmpty()
        ? Set.of()
        : transactions.read(
            connection ->
                new HashSet<>(
                    Sql.list(
                        connection,
                        row -> row.getObject(1, UUID.class),
                        FINISHED,
                        (Object) MessageRow.ids(messages))));
  }

  @Override
  public void record(List<Delivery> deliveries) {
    if (deliveries.isEmpty()) {
      return;
    }
    // In the order of ids, so that two transactions cannot deadlock; of one message in theirs.
    List<Delivery> ordered = new ArrayList<>(deliveries);
    ordered.sort(Comparator.comparing(Delivery::message));
    boolean unused =
        transactions.write(
            connection -> {
              Batch.send(connection, RECORD, ordered, JdbcMessageLog::parameters);
              return true;
            });
  }

  private static @Nullable Object[] parameters(Delivery delivery) {
    int state = MessageRow.code(delivery.state());
    return new @Nullable Object[] {
      state,
      Micros.clamped(delivery.at()),
      delivery.provider(),
      delivery.providerId().orElse(null),
      delivery.reason().orElse(null),
      delivery.message().toString(),
      state
    };
  }

  @Override
  public ReceiptResult receipt(Delivery receipt) {
    requireFinal(receipt.state());
    return transactions.write(
        connection -> {
          // Locked first, so that the reason is that of the row that was not changed.
          Optional<ReceiptResult> ignored =
              Sql.first(
                  connection,
                  row -> ignored(receipt, row.getInt(1), row.getBoolean(2)),
                  LOCK,
                  receipt.message().toString());
          return ignored.isPresent() && isRecorded(connection, receipt)
              ? ReceiptResult.RECORDED
              : ignored.orElse(ReceiptResult.UNKNOWN);
        });
  }

  private static void requireFinal(MessageState state) {
    if (state != MessageState.DELIVERED && state != MessageState.FAILED) {
      throw new IllegalArgumentException("state must be DELIVERED or FAILED, not " + state);
    }
  }

  private static boolean isRecorded(Connection connection, Delivery receipt) throws SQLException {
    int state = MessageRow.code(receipt.state());
    return Sql.update(
            connection,
            RECEIPT,
            state,
            Micros.clamped(receipt.at()),
            state,
            receipt.provider(),
            receipt.reason().orElse(null),
            receipt.message().toString())
        > 0;
  }

  /** Returns why a receipt has changed nothing. */
  private static ReceiptResult ignored(Delivery receipt, int state, boolean isTaken) {
    if (!isTaken) {
      return ReceiptResult.NOT_SENT;
    }
    return state == MessageRow.code(receipt.state())
        ? ReceiptResult.REPEATED
        : ReceiptResult.CONTRADICTED;
  }

  @Override
  public boolean receipt(String provider, String providerId, MessageState state, Instant at) {
    requireFinal(state);
    return transactions.write(
        connection -> {
          Optional<UUID> message =
              Sql.first(
                  connection,
                  row -> row.getObject(1, UUID.class),
                  NEWEST_OF_PROVIDER,
                  providerId,
                  provider);
          if (message.isPresent()) {
            boolean unused = isRecorded(connection, receipt(message.get(), provider, state, at));
          }
          return message.isPresent();
        });
  }

  private static Delivery receipt(UUID message, String provider, MessageState state, Instant at) {
    return new Delivery(
        message,
        state,
        at,
        provider,
        Optional.empty(),
        state == MessageState.FAILED ? Optional.of("reported by " + provider) : Optional.empty());
  }

  @Override
  public Set<UUID> reopen(List<UUID> messages, Instant failedBy) {
    return messages.isEmpty()
        ? Set.of()
        : transactions.write(
            connection ->
                new HashSet<>(
                    Sql.list(
                        connection,
                        row -> row.getObject(1, UUID.class),
                        REOPEN,
                        Sql.now(connection, Dialect.POSTGRESQL, clock),
                        MessageRow.ids(messages),
                        Micros.clamped(failedBy))));
  }

  @Override
  public int removeOlder(Duration retention, int max) {
    return transactions.write(
        connection -> {
          long before = Sql.now(connection, Dialect.POSTGRESQL, clock) - Micros.floor(retention);
          return Sql.update(connection, REMOVE, before, before, max);
        });
  }
}
