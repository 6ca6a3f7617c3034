package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.UnknownOutcomeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToLongFunction;

/** Decides a batch of requests on locked users, one after the other, and writes the results. */
final class PlacedBatch {
  /**
   * Everything in one statement, sent together with the commit: if the statement fails, the
   * database skips the commit.
   */
  private static final String WRITE =
      "with users as ("
          + LockedUsers.WRITE
          + """
          ), messages as (
            insert into notification_message (id, user_id, text, parts, idempotency_key, cost,
                                              taken_at, version, state, created_at, changed_at)
            select unnest(?::uuid[]), unnest(?::bigint[]), unnest(?::text[]), unnest(?::int[]),
                   unnest(?::text[]), unnest(?::bigint[]), unnest(?::bigint[]),
                   unnest(?::bigint[]), 1, ?::bigint, ?::bigint)
          insert into notification_outbox (message_id, is_shared, created_at, claimed_until)
          select unnest(?::uuid[]), unnest(?::boolean[]), ?::bigint, 0; commit
          """;

  /** From now on a second caller may publish these messages. */
  private static final String SHARE =
      "update notification_outbox set is_shared = true where message_id = any(?::uuid[])";

  private final LockedUsers users;
  private final KnownMessages known;
  private final List<Placed> placed = new ArrayList<>();

  /** Messages of the outbox that a repeated request may publish as well. */
  private final Set<UUID> shared = new HashSet<>();

  private record Placed(SendRequest request, SendResult.Accepted accepted) {
    Message message() {
      return accepted.message();
    }

    LockedUsers.TakenPlace place() {
      return LockedUsers.TakenPlace.of(accepted);
    }
  }

  private final List<SendResult.Placing> results = new ArrayList<>();

  private PlacedBatch(LockedUsers users, KnownMessages known) {
    this.users = users;
    this.known = known;
  }

  /** Decides all requests, in order. */
  static PlacedBatch of(LockedUsers users, KnownMessages known, List<SendRequest> requests) {
    PlacedBatch batch = new PlacedBatch(users, known);
    for (SendRequest request : requests) {
      batch.results.add(batch.decide(request));
    }
    return batch;
  }

  List<SendResult.Placing> results() {
    return results;
  }

  /** Returns true if a message of a known user was neither accepted nor known. */
  boolean hasRefusals() {
    return results.stream().anyMatch(PlacedBatch::isRefusal);
  }

  private static boolean isRefusal(SendResult.Placing result) {
    return switch (result) {
      case SendResult.Limited limited -> true;
      case SendResult.TooExpensive tooExpensive -> true;
      case SendResult.Closed closed -> true;
      case SendResult.Accepted accepted -> false;
      case SendResult.Repeated repeated -> false;
      case SendResult.Deferred deferred -> false;
      case SendResult.KeyReused reused -> false;
      case SendResult.UnknownUser unknown -> false;
      case SendResult.Failed failed -> false;
      case SendResult.Busy busy -> false;
    };
  }

  private SendResult.Placing decide(SendRequest request) {
    Optional<UserState> state = users.find(request.message().userId());
    Optional<SendResult.Known> earlier = state.flatMap(user -> known.find(request, user));
    if (earlier.isPresent()) {
      if (earlier.get() instanceof SendResult.Repeated repeated && !repeated.isPublished()) {
        shared.add(repeated.message().id());
      }
      return earlier.get();
    }
    SendResult.Placing result = users.place(request.message());
    if (result instanceof SendResult.Accepted accepted) {
      placed.add(new Placed(request, accepted));
      known.add(request, record(accepted.message()), true);
    }
    return result;
  }

  private MessageRecord record(Message message) {
    return new MessageRecord(
        message,
        MessageState.ACCEPTED,
        Micros.instant(users.nowMicros()),
        Micros.instant(users.nowMicros()),
        Optional.empty(),
        Optional.empty());
  }

  /** Writes the results and ends the transaction. */
  void writeAndCommit(Connection connection) throws SQLException {
    Set<UUID> others = new HashSet<>(shared);
    placed.forEach(each -> others.remove(each.message().id()));
    if (!others.isEmpty()) {
      share(connection, others);
    }
    List<Object> writes = users.writes();
    if (!placed.isEmpty()) {
      List<Object> parameters = new ArrayList<>(writes);
      addMessages(parameters);
      try (PreparedStatement statement = Sql.prepare(connection, WRITE, parameters.toArray())) {
        UnknownOutcomeException.committing(statement::execute);
      }
    } else if (!writes.isEmpty()) {
      // Refused, by a usage that counts as of now: if it stayed, it would do so again next time.
      Sql.update(connection, LockedUsers.WRITE, writes.toArray());
    } else if (others.isEmpty()) {
      // Nothing was written. A commit would wait for the disk, because rows were locked.
      connection.rollback();
    }
  }

  /** Keeps messages of the outbox from being withdrawn. */
  static void share(Connection connection, Collection<UUID> messages) throws SQLException {
    Sql.update(connection, SHARE, (Object) MessageRow.ids(messages));
  }

  private void addMessages(List<Object> parameters) {
    String[] ids = MessageRow.ids(placed.stream().map(each -> each.message().id()).toList());
    long now = users.nowMicros();
    parameters.add(ids);
    parameters.add(longs(each -> each.message().userId()));
    parameters.add(placed.stream().map(each -> each.message().text()).toArray(String[]::new));
    parameters.add(placed.stream().mapToInt(each -> each.message().parts()).toArray());
    parameters.add(
        placed.stream()
            .map(each -> each.request().idempotencyKey().orElse(null))
            .toArray(String[]::new));
    parameters.add(longs(each -> each.place().cost()));
    parameters.add(longs(each -> each.place().takenAtMicros()));
    parameters.add(longs(each -> each.place().version()));
    parameters.add(now);
    parameters.add(now);
    parameters.add(ids);
    boolean[] isShared = new boolean[placed.size()];
    for (int i = 0; i < isShared.length; i++) {
      isShared[i] = shared.contains(placed.get(i).message().id());
    }
    parameters.add(isShared);
    parameters.add(now);
  }

  private long[] longs(ToLongFunction<Placed> column) {
    return placed.stream().mapToLong(column).toArray();
  }
}
