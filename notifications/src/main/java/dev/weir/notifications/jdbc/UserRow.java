package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.internal.CalendarText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/**
 * A row of {@code notification_user}.
 *
 * @param configuredAtMicros {@link Micros#EARLIEST} in a row of the version before
 */
record UserRow(UserLimit limit, long version, long revision, long configuredAtMicros, Usage usage) {
  /** The columns, in the order in which {@link #read} expects them. */
  static final String COLUMNS =
      """
      user_id, rate_limit, window_micros, algorithm, cost_by, open_hours, version, revision,
      coalesce(configured_at, -62135596800000000), at_micros, used, used_before, scale
      """;

  /** The number of columns. */
  static final int WIDTH = 13;

  static UserRow read(ResultSet row) throws SQLException {
    UserLimit limit =
        new UserLimit(
            row.getLong(1),
            row.getLong(2),
            Micros.duration(row.getLong(3)),
            UserLimit.Algorithm.valueOf(row.getString(4).toUpperCase(Locale.ROOT)),
            UserLimit.CostBy.valueOf(row.getString(5).toUpperCase(Locale.ROOT)),
            CalendarText.read(row.getString(6)));
    return new UserRow(
        limit,
        row.getLong(7),
        row.getLong(8),
        row.getLong(9),
        new Usage(row.getLong(10), row.getLong(11), row.getLong(12), row.getLong(13)));
  }

  long userId() {
    return limit.userId();
  }

  long windowMicros() {
    return Micros.floor(limit.timeWindow());
  }

  String algorithm() {
    return limit.algorithm().name().toLowerCase(Locale.ROOT);
  }

  String costBy() {
    return limit.costBy().name().toLowerCase(Locale.ROOT);
  }

  /** Returns this row after a change of its usage. */
  UserRow with(Usage next) {
    return new UserRow(limit, version, revision + 1, configuredAtMicros, next);
  }

  /**
   * Returns true if the usage was counted by a clock that was ahead by more than the limit waits
   * for a clock, see {@link Limit}: it must be {@linkplain #correctedAt corrected} before anything
   * is taken or given back.
   */
  boolean isTooFarAhead(long nowMicros) {
    return usage.isNone()
        ? usage.atMicros() - nowMicros > Math.max(windowMicros(), Limit.MAX_AHEAD_MICROS)
        : !limit.limit().isCurrent(usage, nowMicros);
  }

  /**
   * Returns this row with what was counted by a clock that was far ahead, as of now. It begins
   * another version, because the messages that were counted then know only the times of that clock:
   * their places would be given back to windows that begin much later.
   */
  UserRow correctedAt(long nowMicros) {
    Usage corrected = usage.isNone() ? Usage.NONE : limit.limit().settle(usage, nowMicros);
    return new UserRow(limit, version + 1, revision + 1, configuredAtMicros, corrected);
  }

  /**
   * Returns the time to decide by. If all messages were withdrawn, a new window begins; it must not
   * begin before the last one, even if the clock has stepped back, or messages of earlier windows
   * would be given back to it.
   */
  long timeAt(long nowMicros) {
    return usage.isNone() && !isTooFarAhead(nowMicros)
        ? Math.max(nowMicros, usage.atMicros())
        : nowMicros;
  }

  UserState at(long nowMicros) {
    long timeMicros = timeAt(nowMicros);
    Usage settled = limit.limit().settle(usage, timeMicros);
    long refreshedAt =
        Math.max(configuredAtMicros, settled.isNone() ? freeSince() : settled.atMicros());
    return new UserState(
        limit,
        version,
        revision,
        settled,
        timeMicros,
        // A row of the version before that was never counted does not say when it was configured.
        refreshedAt == Micros.EARLIEST ? timeMicros : refreshedAt);
  }

  /** Returns when the windows had ended in which something was counted. */
  private long freeSince() {
    if (usage.isNone()) {
      return usage.atMicros();
    }
    boolean isWeighed = limit.algorithm() == UserLimit.Algorithm.SLIDING_WINDOW && usage.used() > 0;
    return usage.atMicros() + (isWeighed ? 2 : 1) * windowMicros();
  }
}
