package dev.weir.notifications.jdbc;

import dev.weir.limits.Usage;
import dev.weir.notifications.jdbc.internal.UserChange;
import dev.weir.notifications.messages.UserLimit;
import dev.weir.notifications.messages.UserLimits;
import dev.weir.notifications.messages.UserState;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.CalendarText;
import dev.weir.store.jdbc.internal.Channel;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Limits of users in PostgreSQL. Every node that listens is notified of a change. */
public final class JdbcUserLimits implements UserLimits {
  /** The time is that of the returned row, so it is read after the row was locked. */
  private static final String CONFIGURE =
      """
      insert into notification_user as u
        (user_id, rate_limit, window_micros, algorithm, cost_by, open_hours, version, revision,
         configured_at, at_micros, used, used_before, scale)
      values (?, ?, ?, ?, ?, ?::text, 1, 1, ?, ?, ?, ?, ?)
      on conflict (user_id) do update
      set rate_limit = excluded.rate_limit, window_micros = excluded.window_micros,
          algorithm = excluded.algorithm, cost_by = excluded.cost_by,
          open_hours = excluded.open_hours, version = u.version + 1, revision = u.revision + 1,
          configured_at = excluded.configured_at, at_micros = excluded.at_micros, used = excluded.used,
          used_before = excluded.used_before, scale = excluded.scale
      returning
      """
          + UserRow.COLUMNS
          + ", "
          + Dialect.POSTGRESQL.now();

  private static final String SELECT =
      "select " + UserRow.COLUMNS + ", " + Dialect.POSTGRESQL.now() + " from notification_user ";

  private final Transactions transactions;
  private final StoreClock clock;

  public JdbcUserLimits(DataSource database) {
    this(database, StoreClock.DATABASE);
  }

  public JdbcUserLimits(DataSource database, StoreClock clock) {
    this.transactions = Transactions.failFast(Dialect.POSTGRESQL, database, () -> {});
    this.clock = clock;
  }

  @Override
  public UserState configure(UserLimit limit) {
    return transactions.write(
        connection -> {
          long now = ClockReading.now(connection, Dialect.POSTGRESQL, clock);
          UserRow fresh = new UserRow(limit, 1, 1, now, Usage.NONE);
          UserState configured =
              Sql.first(
                      connection,
                      this::state,
                      CONFIGURE,
                      fresh.userId(),
                      limit.rateLimit(),
                      fresh.windowMicros(),
                      fresh.algorithm(),
                      fresh.costBy(),
                      CalendarText.write(limit.openHours()),
                      fresh.configuredAtMicros(),
                      fresh.usage().atMicros(),
                      fresh.usage().used(),
                      fresh.usage().before(),
                      fresh.usage().scale())
                  .orElseThrow();
          DeferringUsers.wake(connection, List.of(limit.userId()), now);
          Channel.NOTIFICATION_USER.send(
              Dialect.POSTGRESQL,
              connection,
              new UserChange(limit.userId(), configured.version()).text());
          return configured;
        });
  }

  @Override
  public Optional<UserState> find(long userId) {
    return transactions.read(
        connection -> Sql.first(connection, this::state, SELECT + "where user_id = ?", userId));
  }

  @Override
  public List<UserState> list(long afterUserId, int max) {
    if (max < 1 || max > MAX_PAGE) {
      throw new IllegalArgumentException(
          "max must be from 1 to %d, not %d".formatted(MAX_PAGE, max));
    }
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                this::state,
                SELECT + "where user_id > ? order by user_id limit ?",
                afterUserId,
                max));
  }

  private UserState state(ResultSet row) throws SQLException {
    return UserRow.read(row).at(clock.micros(row.getLong(UserRow.WIDTH + 1)));
  }
}
