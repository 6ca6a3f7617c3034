package dev.weir.notifications.jdbc;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Earlier messages of the requests of a batch, by idempotency key and by id. They are looked up
 * after the users were locked, so that another node's messages are seen.
 */
final class KnownMessages {
  private static final String SELECT =
      "select "
          + MessageRow.COLUMNS
          + """
          , m.idempotency_key, o.message_id is not null
          from %s cross join lateral (
            select * from notification_message n where %s offset 0) m
          left join lateral (
            select b.message_id from notification_outbox b
            where b.message_id = m.id offset 0) o on true
          """
          + MessageRow.DEFERRAL;

  private static final String BY_KEY =
      SELECT.formatted(
          "unnest(?::bigint[], ?::text[]) as r (user_id, key)",
          "n.user_id = r.user_id and n.idempotency_key = r.key and n.idempotency_key is not null");

  private static final String BY_ID =
      SELECT.formatted("unnest(?::uuid[]) as r (id)", "n.id = r.id");

  private final Map<Key, Known> byKey = new HashMap<>();
  private final Map<UUID, Known> byId = new HashMap<>();

  private record Key(long userId, String key) {}

  private record Known(MessageRecord record, Optional<String> key, boolean isInOutbox) {}

  /**
   * Looks messages up.
   *
   * @param withIds whether to look for the ids of the requests as well. They are new, unless a
   *     request is repeated after a failure, which the primary key detects
   */
  static KnownMessages of(Connection connection, List<SendRequest> requests, boolean withIds)
      throws SQLException {
    KnownMessages known = new KnownMessages();
    List<SendRequest> keyed =
        requests.stream().filter(request -> request.idempotencyKey().isPresent()).toList();
    if (!keyed.isEmpty()) {
      long[] users = keyed.stream().mapToLong(request -> request.message().userId()).toArray();
      String[] keys =
          keyed.stream()
              .map(request -> request.idempotencyKey().orElseThrow())
              .toArray(String[]::new);
      Sql.list(connection, KnownMessages::read, BY_KEY, users, keys).forEach(known::put);
    }
    if (withIds) {
      String[] ids =
          MessageRow.ids(requests.stream().map(request -> request.message().id()).toList());
      Sql.list(connection, KnownMessages::read, BY_ID, (Object) ids).forEach(known::put);
    }
    return known;
  }

  private static Known read(ResultSet row) throws SQLException {
    return new Known(
        MessageRow.read(row),
        Optional.ofNullable(row.getString(MessageRow.WIDTH + 1)),
        row.getBoolean(MessageRow.WIDTH + 2));
  }

  /** Remembers a message that was written by this transaction. */
  void add(SendRequest request, MessageRecord record, boolean isInOutbox) {
    put(new Known(record, request.idempotencyKey(), isInOutbox));
  }

  private void put(Known known) {
    Message message = known.record().message();
    byId.put(message.id(), known);
    known.key().ifPresent(key -> byKey.put(new Key(message.userId(), key), known));
  }

  /** Returns the result of a request whose message is known; empty if it is new. */
  Optional<SendResult.Known> find(SendRequest request, UserState state) {
    return Optional.ofNullable(lookUp(request)).map(known -> result(known, request, state));
  }

  private @Nullable Known lookUp(SendRequest request) {
    Message message = request.message();
    @Nullable Known known =
        request.idempotencyKey().map(key -> byKey.get(new Key(message.userId(), key))).orElse(null);
    return known == null ? byId.get(message.id()) : known;
  }

  private static SendResult.Known result(Known known, SendRequest request, UserState state) {
    Message earlier = known.record().message();
    if (earlier.userId() != request.message().userId()
        || !earlier.text().equals(request.message().text())) {
      return new SendResult.KeyReused();
    }
    return switch (known.record().state()) {
      case DEFERRED, CANCELLED -> new SendResult.Deferred(known.record(), state);
      case FAILED -> new SendResult.Failed(known.record(), state);
      case ACCEPTED, UNKNOWN, SENT, DELIVERED ->
          new SendResult.Repeated(earlier, !known.isInOutbox(), state);
    };
  }
}
