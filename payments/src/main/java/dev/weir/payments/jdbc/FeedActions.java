package dev.weir.payments.jdbc;

import dev.weir.payments.FeedScope;
import dev.weir.payments.PaymentStore.Portion;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What operators do to the payments of feeds, with a record of each action. */
final class FeedActions {
  /** Locks the feed, which would otherwise be removed at the same time, and its hold be lost. */
  private static final String HOLD_ONE =
      """
      insert into payment_hold (feed_no, held_at)
      select f.feed_no, %s from payment_feed f where f.feed_id = ? for key share
      on conflict (feed_no) do nothing
      """
          .formatted(Dialect.POSTGRESQL.now());

  private static final String HOLD_ALL =
      "insert into payment_hold (feed_no, held_at) values (0, %s) on conflict (feed_no) do nothing"
          .formatted(Dialect.POSTGRESQL.now());

  private static final String RESUME_ONE =
      """
      delete from payment_hold
      where feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
      """;

  private static final String RESUME_ALL = "delete from payment_hold where feed_no = 0";

  /** Payments whose calls are in progress are left out, because others may follow them. */
  private static final String CANCELLABLE =
      """
      select p.payment_id
      from payment p, (select coalesce(?::bigint, %s) as at) present
      where p.state in (1, 2) and %s %s
      order by p.feed_no, p.line limit ?
      """;

  private static final String CANCELLABLE_OF_ONE =
      CANCELLABLE.formatted(
          Dialect.POSTGRESQL.now(),
          Cancelling.CANCELLABLE,
          "and p.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)");

  private static final String CANCELLABLE_OF_ALL =
      CANCELLABLE.formatted(Dialect.POSTGRESQL.now(), Cancelling.CANCELLABLE, "");

  /**
   * Opens payments again that failed, and locks their feeds: one that is being closed at the same
   * time is open again afterwards, whoever comes first. One that is known to be made is left as it
   * is, and so is one that may have been, unless that is asked for. Those that are chosen are found
   * by their ids, see {@link PaymentRow#IS_OPEN}.
   */
  private static final String RETRY =
      """
      with chosen as materialized (
        select p.payment_id
        from payment p
        where p.state in (4, 5) and p.state = 4 %1$s
          and not exists (select from payment_call c
                          where c.payment_id = p.payment_id and c.result = 1 offset 0)
          and (? or not %3$s)
        order by p.feed_no, p.line limit ?),
      reopened as (
        update payment p set state = 1, retried_at = coalesce(?::bigint, %2$s), slotless_since = null
        where p.payment_id = any(array(select h.payment_id from chosen h)) and p.state + 0 = 4
        returning p.feed_no),
      feeds as (
        update payment_feed f set state = case f.state when 3 then 2 else f.state end
        where f.feed_no = any(array(select r.feed_no from reopened r)))
      select (select count(*) from reopened), (select count(*) from chosen)
      """;

  private static final String RETRY_ONE =
      RETRY.formatted(
          "and p.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)",
          Dialect.POSTGRESQL.now(),
          Cancelling.MAY_BE_MADE_UNKNOWN);

  private static final String RETRY_ALL =
      RETRY.formatted("", Dialect.POSTGRESQL.now(), Cancelling.MAY_BE_MADE_UNKNOWN);

  private static final String RECORD =
      """
      insert into payment_action (action, feed_id, actor, payments, acted_at)
      values (?, ?, ?, ?, %s)
      """
          .formatted(Dialect.POSTGRESQL.now());

  private final Transactions transactions;
  private final StoreClock clock;

  FeedActions(Transactions transactions, StoreClock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  boolean hold(FeedScope scope, String actor) {
    return change("hold", scope, actor, HOLD_ONE, HOLD_ALL);
  }

  boolean resume(FeedScope scope, String actor) {
    return change("resume", scope, actor, RESUME_ONE, RESUME_ALL);
  }

  private boolean change(String action, FeedScope scope, String actor, String one, String all) {
    return transactions.write(
        connection -> {
          int changed =
              switch (scope) {
                case FeedScope.One feed -> Sql.update(connection, one, feed.feedId());
                case FeedScope.All every -> Sql.update(connection, all);
              };
          if (changed > 0) {
            record(connection, action, scope, actor, 0);
          }
          return changed > 0;
        });
  }

  Portion cancel(FeedScope scope, String actor, int max) {
    return transactions.write(
        connection -> {
          Long now = ClockReading.givenNow(connection, clock);
          List<String> chosen =
              switch (scope) {
                case FeedScope.One feed ->
                    ids(connection, CANCELLABLE_OF_ONE, Sql.orNull(now), feed.feedId(), max);
                case FeedScope.All every ->
                    ids(connection, CANCELLABLE_OF_ALL, Sql.orNull(now), max);
              };
          int cancelled = Cancelling.cancel(connection, now, chosen, "cancelled with its feed");
          record(connection, "cancel", scope, actor, cancelled);
          return new Portion(cancelled, chosen.size() == max);
        });
  }

  Portion retry(FeedScope scope, boolean isForced, String actor, int max) {
    return transactions.write(
        connection -> {
          Object now = Sql.orNull(ClockReading.givenNow(connection, clock));
          Portion reopened =
              switch (scope) {
                case FeedScope.One feed ->
                    portion(connection, max, RETRY_ONE, feed.feedId(), isForced, max, now);
                case FeedScope.All every -> portion(connection, max, RETRY_ALL, isForced, max, now);
              };
          record(
              connection, isForced ? "forced retry" : "retry", scope, actor, reopened.payments());
          return reopened;
        });
  }

  private static List<String> ids(Connection connection, String sql, Object... parameters)
      throws SQLException {
    return Sql.list(connection, row -> row.getString(1), sql, parameters);
  }

  private static Portion portion(Connection connection, int max, String sql, Object... parameters)
      throws SQLException {
    return Sql.first(
            connection, row -> new Portion(row.getInt(1), row.getInt(2) == max), sql, parameters)
        .orElseThrow();
  }

  /** Records that Weir itself holds all feeds. */
  static void recordHoldByWeir(Connection connection) throws SQLException {
    record(connection, "hold", new FeedScope.All(), "weir", 0);
  }

  private static void record(
      Connection connection, String action, FeedScope scope, String actor, int payments)
      throws SQLException {
    String feedId =
        switch (scope) {
          case FeedScope.One feed -> feed.feedId();
          case FeedScope.All every -> "";
        };
    Sql.update(connection, RECORD, action, feedId, actor, payments);
  }
}
