package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.HandOver;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.MessageQuery;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The log of messages in PostgreSQL. */
public final class JdbcMessageLog implements MessageLog {
  private static final int UNKNOWN = MessageRow.code(MessageState.UNKNOWN);

  private static final String FIND =
      "select "
          + MessageRow.COLUMNS
          + " from notification_message m "
          + MessageRow.DEFERRAL
          + "where m.id = ?::uuid";

  private static final String FINISHED =
      "select id from notification_message where id = any(?::uuid[]) and state in (2, 3, 4, 5)";

  /** In the order of ids, so that two transactions cannot deadlock. */
  private static final String LOCK_ALL =
      """
      select id, state, changed_at, attempt, reason is not null from notification_message
      where id = any(?::uuid[]) order by id for update
      """;

  private static final String HAND_OVER =
      """
      update notification_message
      set state = 6, changed_at = ?, provider = ?, reason = null, attempt = ?::uuid
      where id = ?::uuid
      """;

  /** An attempt that has ended as unknown has a reason. */
  private static final String NOT_TAKEN =
      """
      update notification_message set state = 1, changed_at = ?, reason = null, attempt = null
      where id = ?::uuid and state = 6 and attempt = ?::uuid and reason is null
      """;

  /** A state is reached from these states only; the parameter is the new one. */
  private static final String MAY_CHANGE = "(state in (1, 6) or (state = 2 and ?::int in (3, 4)))";

  /** One that is unknown stays in its attempt: there may be a letter that knows how that failed. */
  private static final String RECORD =
      """
      update notification_message
      set state = ?, changed_at = ?, provider = ?, provider_id = coalesce(?::text, provider_id),
          reason = ?::text, attempt = coalesce(?::uuid, case when ?::int = 6 then attempt end)
      where id = ?::uuid and
      """
          + MAY_CHANGE;

  private static final String NEWEST_OF_PROVIDER =
      """
      select id, part from (
        (select id, null::int as part, created_at from notification_message
         where provider_id = ? and provider = ? and provider_id is not null
         order by created_at desc limit 1)
        union all
        (select message_id, part, created_at from notification_part
         where provider_id = ? and provider = ?
         order by created_at desc limit 1)) known
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
          state = ?, is_reported = true, provider = ?, reason = ?::text,
          attempt = case when state = ?::int then attempt end
      where id = ?::uuid
        and (state in (1, 2, 6) or (state = 4 and not is_reported and taken_at is not null))
      """;

  private static final String LOCK =
      """
      select state, taken_at is not null from notification_message where id = ?::uuid for update
      """;

  /** A message that failed before it was counted was never published. */
  private static final String REOPEN =
      """
      update notification_message
      set state = 1, changed_at = ?, reason = null, is_reported = false, attempt = null
      where id = any(?::uuid[]) and state in (4, 6) and taken_at is not null and changed_at <= ?
      returning id
      """;

  private static final String REOPEN_ATTEMPT =
      """
      update notification_message
      set state = 1, changed_at = ?, reason = null, is_reported = false, attempt = null
      where id = ?::uuid and attempt = ?::uuid and state in (4, 6) and taken_at is not null
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
          and m.state in (2, 3, 4, 5, 6)
          and not exists (select from notification_outbox o where o.message_id = m.id offset 0)
        order by m.created_at limit ? for update of m skip locked))
      """;

  private final Transactions transactions;
  private final MessageLists lists;
  private final StoreClock clock;

  public JdbcMessageLog(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcMessageLog(DataSource database, StoreClock clock) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.lists = new MessageLists(transactions);
    this.clock = clock;
  }

  @Override
  public Optional<MessageRecord> find(UUID message) {
    return transactions.read(
        connection -> Sql.first(connection, MessageRow::read, FIND, message.toString()));
  }

  @Override
  public MessageQuery.Page list(MessageQuery query) {
    return lists.page(query);
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
  public List<HandOver> handOver(
      List<Attempt> attempts, String provider, DeliveryGuarantee guarantee) {
    return attempts.isEmpty()
        ? List.of()
        : transactions.write(
            connection -> {
              Map<UUID, Handed> known = new HashMap<>();
              List<UUID> messages = attempts.stream().map(Attempt::message).toList();
              for (Handed each :
                  Sql.list(connection, Handed::read, LOCK_ALL, (Object) MessageRow.ids(messages))) {
                known.put(each.message(), each);
              }
              long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
              List<HandOver> results = new ArrayList<>(attempts.size());
              List<Attempt> begun = new ArrayList<>();
              for (Attempt attempt : attempts) {
                @Nullable Handed row = known.get(attempt.message());
                HandOver result =
                    row == null ? new HandOver.Unlogged() : row.next(attempt, guarantee, now);
                results.add(result);
                if (row != null && result instanceof HandOver.Begun) {
                  begun.add(attempt);
                  // A second copy in the same batch is in doubt.
                  known.put(
                      attempt.message(),
                      new Handed(attempt.message(), UNKNOWN, now, attempt.id(), false));
                }
              }
              begun.sort(Comparator.comparing(Attempt::message));
              Batch.send(
                  connection,
                  HAND_OVER,
                  begun,
                  attempt ->
                      new @Nullable Object[] {
                        now, provider, attempt.id().toString(), attempt.message().toString()
                      });
              return results;
            });
  }

  /**
   * A message that was locked to be handed over.
   *
   * @param attempt null if it is in none
   * @param hasReason whether the attempt has ended, if the message is unknown
   */
  private record Handed(
      UUID message, int state, long changedAt, @Nullable UUID attempt, boolean hasReason) {
    static Handed read(ResultSet row) throws SQLException {
      return new Handed(
          row.getObject(1, UUID.class),
          row.getInt(2),
          row.getLong(3),
          row.getObject(4, UUID.class),
          row.getBoolean(5));
    }

    HandOver next(Attempt next, DeliveryGuarantee guarantee, long now) {
      return switch (MessageRow.state(state)) {
        case ACCEPTED -> new HandOver.Begun();
        case UNKNOWN ->
            next.id().equals(attempt) && !hasReason
                ? new HandOver.Begun()
                : HandOver.again(guarantee, Micros.duration(Math.max(0, now - changedAt)));
        case SENT, DELIVERED, FAILED, CANCELLED -> new HandOver.Finished();
        // It was never published by us.
        case DEFERRED -> new HandOver.Unlogged();
      };
    }
  }

  @Override
  public void notTaken(List<Attempt> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    List<Attempt> ordered =
        attempts.stream().sorted(Comparator.comparing(Attempt::message)).toList();
    boolean unused =
        transactions.write(
            connection -> {
              long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
              Batch.send(
                  connection,
                  NOT_TAKEN,
                  ordered,
                  attempt ->
                      new @Nullable Object[] {
                        now, attempt.message().toString(), attempt.id().toString()
                      });
              return true;
            });
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
              SentParts.add(connection, ordered);
              return true;
            });
  }

  private static @Nullable Object[] parameters(Delivery delivery) {
    int state = MessageRow.code(delivery.state());
    return new @Nullable Object[] {
      state,
      Micros.clamped(delivery.at()),
      delivery.provider(),
      delivery.providerIds().size() == 1 ? delivery.providerIds().getFirst() : null,
      delivery.reason().orElse(null),
      delivery.attempt().map(UUID::toString).orElse(null),
      state,
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

  private boolean isRecorded(Connection connection, Delivery receipt) throws SQLException {
    int state = MessageRow.code(receipt.state());
    return Sql.update(
            connection,
            RECEIPT,
            state,
            ClockReading.now(connection, Dialect.POSTGRESQL, clock),
            state,
            receipt.provider(),
            receipt.reason().orElse(null),
            state,
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
          Optional<Receipted> known =
              Sql.first(
                  connection,
                  Receipted::read,
                  NEWEST_OF_PROVIDER,
                  providerId,
                  provider,
                  providerId,
                  provider);
          if (known.isPresent() && isComplete(connection, known.get(), state)) {
            boolean unused =
                isRecorded(connection, receipt(known.get().message(), provider, state, at));
          }
          return known.isPresent();
        });
  }

  /**
   * What has a provider id.
   *
   * @param part empty for a message that has one part
   */
  private record Receipted(UUID message, OptionalInt part) {
    static Receipted read(ResultSet row) throws SQLException {
      UUID message = row.getObject(1, UUID.class);
      int part = row.getInt(2);
      return new Receipted(message, row.wasNull() ? OptionalInt.empty() : OptionalInt.of(part));
    }
  }

  /** Returns true if a receipt decides about its message. */
  private static boolean isComplete(Connection connection, Receipted known, MessageState state)
      throws SQLException {
    if (known.part().isEmpty()) {
      return true;
    }
    // Locked first, so that of two last parts one sees the other.
    Optional<Boolean> unused = Sql.first(connection, row -> true, LOCK, known.message().toString());
    return SentParts.isComplete(connection, known.message(), known.part().getAsInt(), state);
  }

  private static Delivery receipt(UUID message, String provider, MessageState state, Instant at) {
    return new Delivery(
        message,
        state,
        at,
        provider,
        List.of(),
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
                        ClockReading.now(connection, Dialect.POSTGRESQL, clock),
                        MessageRow.ids(messages),
                        Micros.clamped(failedBy))));
  }

  @Override
  public boolean reopen(Attempt failed) {
    return transactions.write(
        connection ->
            Sql.update(
                    connection,
                    REOPEN_ATTEMPT,
                    ClockReading.now(connection, Dialect.POSTGRESQL, clock),
                    failed.message().toString(),
                    failed.id().toString())
                > 0);
  }

  @Override
  public int removeOlder(Duration retention, int max) {
    return transactions.write(
        connection -> {
          long before =
              ClockReading.now(connection, Dialect.POSTGRESQL, clock) - Micros.floor(retention);
          return Sql.update(connection, REMOVE, before, before, max);
        });
  }
}
