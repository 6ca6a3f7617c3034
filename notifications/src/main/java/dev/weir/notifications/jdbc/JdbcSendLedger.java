package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.jdbc.LockedUsers.TakenPlace;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Counts and outbox in PostgreSQL.
 *
 * <p>A batch is one transaction: it locks the rows of its users in the order of their ids, reads
 * the database's clock, decides one request after the other by the functions of core, and writes
 * counts, messages and outbox in one statement together with the commit. A batch of refusals writes
 * nothing and does not wait for the disk. A transaction costs the same for one request and for
 * many, so callers should share them. Thread-safe.
 */
public final class JdbcSendLedger implements SendLedger {
  /**
   * Its commit does not wait for the disk: if a crash of the database undoes it, the messages are
   * published again, as after a crash of the node.
   */
  private static final String PUBLISHED =
      """
      with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
      delete from notification_outbox
      where message_id = any(?::uuid[]) and exists (select from relaxed)
      """;

  /** Waits for a caller that shares a message at this moment, and then leaves it. */
  private static final String WITHDRAW =
      """
      with withdrawn as (
        delete from notification_outbox where message_id = any(?::uuid[]) and not is_shared
        returning message_id)
      delete from notification_message
      where id = any(array(select message_id from withdrawn))
      returning user_id, cost, taken_at, version, id
      """;

  private static final String END =
      "delete from notification_outbox where message_id = any(?::uuid[]) returning message_id";

  /** The log changes messages without the lock of their users, so their rows are locked as well. */
  private static final String LOCK_ACCEPTED =
      """
      select user_id, cost, taken_at, version, id from notification_message
      where id = any(?::uuid[]) and state = 1 order by id for update
      """;

  /** As if it had never been counted. A repeated request is a new one. */
  private static final String FAIL =
      """
      update notification_message
      set state = 4, changed_at = ?, reason = ?, cost = null, taken_at = null, version = null,
          idempotency_key = null
      where id = ?::uuid
      """;

  private static final String CLAIM =
      """
      with claimed as (
        update notification_outbox set claimed_until = ?, is_shared = true
        where message_id = any(array(
          select message_id from notification_outbox
          where created_at <= ? and claimed_until <= ?
          order by created_at, message_id limit ? for update skip locked))
        returning message_id, created_at)
      select m.id, m.user_id, m.text, m.parts, m.cost
      from claimed cross join lateral (
        select * from notification_message n where n.id = claimed.message_id offset 0) m
      order by claimed.created_at, m.id
      """;

  private final Transactions transactions;
  private final StoreClock clock;
  private final BusyUsers busy;

  public JdbcSendLedger(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcSendLedger(DataSource database, StoreClock clock) {
    this(database, clock, BusyUsers.MAX_WAIT);
  }

  /**
   * @param maxWait how long a transaction waits for users that another one has locked
   */
  JdbcSendLedger(DataSource database, StoreClock clock, Duration maxWait) {
    this.busy = new BusyUsers(maxWait);
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
  }

  @Override
  public List<SendResult.Placing> place(List<SendRequest> requests) {
    return requests.isEmpty() ? List.of() : transactions.write(new Placing(requests));
  }

  /**
   * Places a batch. Message ids are new, unless a request is repeated after a failure, so they are
   * looked up only if that may have happened: if a message exists already, which the primary key
   * detects and which leads to a second attempt, or if a request would be refused.
   */
  private final class Placing implements Transactions.Work<List<SendResult.Placing>> {
    private final List<SendRequest> requests;
    private final BusyUsers.Locking locking = busy.new Locking();
    private boolean isRepeated;

    Placing(List<SendRequest> requests) {
      this.requests = requests;
    }

    @Override
    public List<SendResult.Placing> on(Connection connection) throws SQLException {
      boolean withIds = isRepeated;
      isRepeated = true;
      List<Long> userIds = requests.stream().map(request -> request.message().userId()).toList();
      LockedUsers users = locking.lock(connection, clock, userIds);
      PlacedBatch batch =
          PlacedBatch.of(users, KnownMessages.of(connection, requests, withIds), requests);
      if (!withIds && batch.hasRefusals()) {
        batch =
            PlacedBatch.of(
                users.unchanged(), KnownMessages.of(connection, requests, true), requests);
      }
      batch.writeAndCommit(connection);
      return batch.results();
    }
  }

  @Override
  public void published(List<UUID> messages) {
    if (!messages.isEmpty()) {
      int unused =
          transactions.autoCommit(
              connection -> Sql.update(connection, PUBLISHED, (Object) MessageRow.ids(messages)));
    }
  }

  @Override
  public List<Withdrawn> withdraw(List<UUID> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    // A message of a user that is busy stays, and is published later.
    BusyUsers.Locking locking = busy.new Locking();
    return transactions.write(connection -> withdraw(connection, messages, locking));
  }

  private List<Withdrawn> withdraw(
      Connection connection, List<UUID> messages, BusyUsers.Locking locking) throws SQLException {
    MessageOwners owners = MessageOwners.lock(connection, clock, messages, locking);
    return giveBack(
        connection, owners, Sql.list(connection, Taken::read, WITHDRAW, (Object) owners.ids()));
  }

  /** Gives the places of messages back, in the order in which the messages were requested. */
  private static List<Withdrawn> giveBack(
      Connection connection, MessageOwners owners, List<Taken> places) throws SQLException {
    LockedUsers users = owners.users();
    Map<UUID, TakenPlace> taken = new HashMap<>();
    places.forEach(each -> taken.put(each.message(), each.place()));
    List<UUID> messages = owners.messages().stream().filter(taken::containsKey).toList();
    for (UUID message : messages) {
      users.giveBack(Objects.requireNonNull(taken.get(message)));
    }
    List<Object> writes = users.writes();
    if (!writes.isEmpty()) {
      Sql.update(connection, LockedUsers.WRITE, writes.toArray());
    }
    if (!messages.isEmpty()) {
      DeferringUsers.wake(
          connection,
          taken.values().stream().map(TakenPlace::userId).distinct().toList(),
          users.nowMicros());
    }
    List<Withdrawn> results = new ArrayList<>(messages.size());
    for (UUID message : messages) {
      long userId = Objects.requireNonNull(taken.get(message)).userId();
      results.add(new Withdrawn(message, users.find(userId).orElseThrow()));
    }
    return results;
  }

  @Override
  public List<Withdrawn> fail(List<Unpublishable> messages) {
    return messages.isEmpty()
        ? List.of()
        : transactions.write(connection -> fail(connection, messages));
  }

  private List<Withdrawn> fail(Connection connection, List<Unpublishable> messages)
      throws SQLException {
    Map<UUID, String> reasons = new HashMap<>();
    messages.forEach(each -> reasons.putIfAbsent(each.message(), each.reason()));
    MessageOwners owners =
        MessageOwners.lock(
            connection, clock, messages.stream().map(Unpublishable::message).toList());
    List<UUID> ended =
        Sql.list(connection, row -> row.getObject(1, UUID.class), END, (Object) owners.ids());
    List<Taken> accepted =
        Sql.list(connection, Taken::read, LOCK_ACCEPTED, (Object) MessageRow.ids(ended));
    Batch.send(
        connection,
        FAIL,
        accepted,
        each ->
            new @Nullable Object[] {
              owners.users().nowMicros(), reasons.get(each.message()), each.message().toString()
            });
    return giveBack(connection, owners, accepted);
  }

  private record Taken(TakenPlace place, UUID message) {
    static Taken read(ResultSet row) throws SQLException {
      return new Taken(TakenPlace.read(row), row.getObject(5, UUID.class));
    }
  }

  @Override
  public List<Claimed> claimUnpublished(Duration minAge, Duration claim, int max) {
    return transactions.write(
        connection -> {
          long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
          return Sql.list(
              connection,
              row -> new Claimed(MessageRow.message(row), row.getLong(5)),
              CLAIM,
              now + Micros.floor(claim),
              now - Micros.floor(minAge),
              now,
              max);
        });
  }
}
