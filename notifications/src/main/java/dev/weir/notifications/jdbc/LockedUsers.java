package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import dev.weir.slots.planning.internal.OpenTimes;
import dev.weir.slots.planning.internal.TimeSpan;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.CalendarText;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Users whose rows this transaction has locked, in the order of their ids, so that two transactions
 * cannot deadlock. Counts messages by the functions of core; {@link #writes} has the changes.
 */
final class LockedUsers {
  /** The time of the last row is read after all rows were locked. */
  private static final String LOCK =
      "with locked as materialized (select "
          + UserRow.COLUMNS
          + """
          from notification_user where user_id = any(?) order by user_id for update)
          select locked.*,
          """
          + Dialect.POSTGRESQL.now()
          + " from locked";

  /** SQL state of a lock that was not granted in time. */
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /**
   * Waits for the rows of the first users for a short time, in all, and does not wait for those of
   * the others. The time of the last row is read after all rows were locked.
   */
  private static final String LOCK_PATIENTLY =
      """
      with own_timeout as materialized (select set_config('lock_timeout', ?, true)),
      waited as materialized (select %1$s
        from notification_user where user_id = any(?) and exists (select from own_timeout)
        order by user_id for update),
      tried as materialized (select %1$s
        from notification_user where user_id = any(?) order by user_id for update skip locked)
      select waited.*, %2$s from waited union all select tried.*, %2$s from tried
      """
          .formatted(UserRow.COLUMNS, Dialect.POSTGRESQL.now());

  private static final String EXISTING =
      "select user_id from notification_user where user_id = any(?)";

  /**
   * Every row exists, because it is locked. An insert that conflicts always finds it by its key,
   * whereas an update by a join could be planned as a scan while the table is small.
   */
  static final String WRITE =
      """
      insert into notification_user (user_id, rate_limit, window_micros, algorithm, cost_by,
                                     open_hours, version, revision, at_micros, used, used_before,
                                     scale)
      select unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::text[]),
             unnest(?::text[]), unnest(?::text[]), unnest(?::bigint[]), unnest(?::bigint[]),
             unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[])
      on conflict (user_id) do update
      set version = excluded.version, revision = excluded.revision,
          at_micros = excluded.at_micros, used = excluded.used,
          used_before = excluded.used_before, scale = excluded.scale
      """;

  private final Map<Long, UserRow> locked;
  private final Map<Long, UserRow> rows;
  private final TreeSet<Long> changed = new TreeSet<>();
  private final long nowMicros;

  /** Users that exist and are locked by another transaction. */
  private final Set<Long> busy;

  private LockedUsers(Map<Long, UserRow> locked, long nowMicros, Set<Long> busy) {
    this.locked = locked;
    this.rows = new HashMap<>(locked);
    this.nowMicros = nowMicros;
    this.busy = busy;
  }

  /**
   * Locks users without waiting for long.
   *
   * @param maxWait how long to wait
   * @param waited users to wait for
   * @param tried users to leave out if they are locked; they are {@linkplain #busy} then
   * @throws SQLException {@linkplain #isLockTimeout of a lock} if one of {@code waited} is locked
   */
  static LockedUsers lockPatiently(
      Connection connection,
      StoreClock clock,
      Duration maxWait,
      Collection<Long> waited,
      Collection<Long> tried)
      throws SQLException {
    String lockTimeout = maxWait.toMillis() + "ms";
    Map<Long, UserRow> locked = new HashMap<>();
    long nowMicros = Micros.EARLIEST;
    for (Read read :
        Sql.list(
            connection, Read::of, LOCK_PATIENTLY, lockTimeout, distinct(waited), distinct(tried))) {
      locked.put(read.row().userId(), read.row());
      nowMicros = clock.micros(read.databaseMicros());
    }
    Set<Long> missing = new HashSet<>(tried);
    missing.removeAll(locked.keySet());
    Set<Long> busy =
        missing.isEmpty()
            ? Set.of()
            : new HashSet<>(
                Sql.list(connection, row -> row.getLong(1), EXISTING, (Object) distinct(missing)));
    return new LockedUsers(locked, nowMicros, busy);
  }

  private static long[] distinct(Collection<Long> userIds) {
    return userIds.stream().mapToLong(Long::longValue).distinct().toArray();
  }

  /** Returns true if a lock was not granted in time. */
  static boolean isLockTimeout(SQLException e) {
    return LOCK_NOT_AVAILABLE.equals(e.getSQLState());
  }

  /** Returns the users that are locked by this transaction. */
  Set<Long> ids() {
    return locked.keySet();
  }

  /** Returns the users that are locked by another transaction. */
  Set<Long> busy() {
    return busy;
  }

  static LockedUsers lock(Connection connection, StoreClock clock, Collection<Long> userIds)
      throws SQLException {
    long[] ids = distinct(userIds);
    Map<Long, UserRow> locked = new HashMap<>();
    long nowMicros = Micros.EARLIEST;
    for (Read read : Sql.list(connection, Read::of, LOCK, (Object) ids)) {
      locked.put(read.row().userId(), read.row());
      nowMicros = clock.micros(read.databaseMicros());
    }
    return new LockedUsers(locked, nowMicros, Set.of());
  }

  private record Read(UserRow row, long databaseMicros) {
    static Read of(ResultSet row) throws SQLException {
      return new Read(UserRow.read(row), row.getLong(UserRow.WIDTH + 1));
    }
  }

  /** Returns the same users as they were when they were locked. */
  LockedUsers unchanged() {
    return new LockedUsers(locked, nowMicros, busy);
  }

  /** Returns the time of the database; undefined if there is no user. */
  long nowMicros() {
    return nowMicros;
  }

  Optional<UserState> find(long userId) {
    return Optional.ofNullable(rows.get(userId)).map(row -> row.at(nowMicros));
  }

  /** Takes a place for a message, if its user is open and there is one. */
  SendResult.Placing place(Message message) {
    if (busy.contains(message.userId())) {
      return new SendResult.Busy(message.userId());
    }
    @Nullable UserRow row = corrected(message.userId());
    return row == null ? new SendResult.UnknownUser(message.userId()) : place(row, message);
  }

  /** Takes a place for a message of a user that was found and locked. */
  SendResult.Counted placeOfLocked(Message message) {
    return place(Objects.requireNonNull(corrected(message.userId())), message);
  }

  private SendResult.Counted place(UserRow row, Message message) {
    Limit limit = row.limit().limit();
    long cost = row.limit().cost(message.parts());
    if (cost > limit.maxCost()) {
      return new SendResult.TooExpensive(row.at(nowMicros), cost);
    }
    TimeSpan open = OpenTimes.at(row.limit().openHours(), nowMicros);
    if (open.fromMicros() > nowMicros) {
      return new SendResult.Closed(row.at(nowMicros), open.fromMicros());
    }
    Limit.Step step = limit.decide(row.usage(), cost, row.timeAt(nowMicros));
    return switch (step.decision()) {
      case Decision.Refused refused -> new SendResult.Limited(row.at(nowMicros), refused);
      case Decision.Allowed allowed -> {
        UserRow next = row.with(step.next());
        put(next);
        yield new SendResult.Accepted(message, next.at(nowMicros), allowed);
      }
    };
  }

  /** Returns a user whose usage does not lie far ahead; null if there is none. */
  private @Nullable UserRow corrected(long userId) {
    @Nullable UserRow row = rows.get(userId);
    if (row == null || !row.isTooFarAhead(nowMicros)) {
      return row;
    }
    UserRow corrected = row.correctedAt(nowMicros);
    put(corrected);
    return corrected;
  }

  /**
   * Gives back a place, unless the user was configured or corrected since: that has reset the usage
   * or the times of places.
   */
  void giveBack(TakenPlace place) {
    @Nullable UserRow row = corrected(place.userId());
    if (row != null && row.version() == place.version()) {
      Limit limit = row.limit().limit();
      put(
          row.with(
              limit.refund(
                  row.usage(), place.cost(), place.takenAtMicros(), row.timeAt(nowMicros))));
    }
  }

  private void put(UserRow row) {
    rows.put(row.userId(), row);
    changed.add(row.userId());
  }

  /** Returns the parameters of {@link #WRITE}; empty if nothing has changed. */
  List<Object> writes() {
    if (changed.isEmpty()) {
      return List.of();
    }
    List<UserRow> all = new ArrayList<>(changed.size());
    for (long userId : changed) {
      all.add(rows.get(userId));
    }
    return List.of(
        longs(all, UserRow::userId),
        longs(all, row -> row.limit().rateLimit()),
        longs(all, UserRow::windowMicros),
        all.stream().map(UserRow::algorithm).toArray(String[]::new),
        all.stream().map(UserRow::costBy).toArray(String[]::new),
        all.stream().map(row -> CalendarText.write(row.limit().openHours())).toArray(String[]::new),
        longs(all, UserRow::version),
        longs(all, UserRow::revision),
        longs(all, row -> row.usage().atMicros()),
        longs(all, row -> row.usage().used()),
        longs(all, row -> row.usage().before()),
        longs(all, row -> row.usage().scale()));
  }

  private static long[] longs(List<UserRow> rows, ToLongFunction<UserRow> column) {
    return rows.stream().mapToLong(column).toArray();
  }

  /**
   * What a message has taken.
   *
   * @param version the version of the user's limit at that time
   */
  record TakenPlace(long userId, long cost, long takenAtMicros, long version) {
    static TakenPlace read(ResultSet row) throws SQLException {
      return new TakenPlace(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
    }

    /**
     * Returns what an accepted message has taken. If the clock has stepped back a little, time
     * stands still for the usage, and the place belongs to its latest window.
     */
    static TakenPlace of(SendResult.Accepted accepted) {
      UserState state = accepted.state();
      return new TakenPlace(
          accepted.message().userId(),
          state.limit().cost(accepted.message().parts()),
          Math.max(state.atMicros(), state.usage().atMicros()),
          state.version());
    }
  }
}
