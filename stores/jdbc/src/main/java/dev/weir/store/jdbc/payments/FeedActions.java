package dev.weir.store.jdbc.payments;

import dev.weir.engine.payments.FeedScope;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;

/** What operators do to the payments of feeds, with a record of each action. */
final class FeedActions {
  private static final String HOLD_ONE =
      """
      insert into payment_hold (feed_no, held_at)
      select f.feed_no, %s from payment_feed f where f.feed_id = ?
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

  /**
   * Ends payments that were not called. The row that is changed is asked again, and counts a call
   * before it is sent, so that a payment that is called meanwhile is left out.
   */
  private static final String CANCEL =
      """
      with ended as (
        update payment p set state = 5
        where p.payment_id in (
            select o.payment_id
            from payment o
            join payment_feed f on f.feed_no = o.feed_no
            where o.state in (1, 2) and o.attempts = 0 and f.state > 0 %s
            order by o.feed_no, o.line limit ?)
          and p.state in (1, 2) and p.attempts = 0
        returning p.payment_id, p.feed_no, p.state, p.attempts)
      insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                 recorded_at)
      select e.payment_id, e.feed_no, e.state, e.attempts, %2$s, 'cancelled with its feed', %2$s
      from ended e
      """;

  private static final String CANCEL_ONE =
      CANCEL.formatted("and f.feed_id = ?", Dialect.POSTGRESQL.now());

  private static final String CANCEL_ALL = CANCEL.formatted("", Dialect.POSTGRESQL.now());

  /**
   * Opens payments again that failed. One that is known to be made is left as it is, and so is one
   * that may have been, unless that is asked for.
   */
  private static final String RETRY =
      """
      with reopened as (
        update payment p set state = 1, retried_at = coalesce(?::bigint, %2$s), slotless_since = null
        where p.payment_id in (
            select o.payment_id
            from payment o
            join payment_feed f on f.feed_no = o.feed_no
            where o.state in (4, 5) and o.state = 4 %1$s
              and not exists (select from payment_call c
                              where c.payment_id = o.payment_id
                                and (c.result = 1 or (c.result in (4, 6) and not ?)))
            order by o.feed_no, o.line limit ?)
          and p.state = 4
        returning p.feed_no),
      feeds as (
        update payment_feed f set state = 2
        where f.state = 3 and f.feed_no in (select r.feed_no from reopened r))
      select count(*) from reopened
      """;

  private static final String RETRY_ONE =
      RETRY.formatted("and f.feed_id = ?", Dialect.POSTGRESQL.now());

  private static final String RETRY_ALL = RETRY.formatted("", Dialect.POSTGRESQL.now());

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

  int cancel(FeedScope scope, String actor, int max) {
    return transactions.write(
        connection -> {
          int cancelled =
              switch (scope) {
                case FeedScope.One feed -> Sql.update(connection, CANCEL_ONE, feed.feedId(), max);
                case FeedScope.All every -> Sql.update(connection, CANCEL_ALL, max);
              };
          record(connection, "cancel", scope, actor, cancelled);
          return cancelled;
        });
  }

  int retry(FeedScope scope, boolean isForced, String actor, int max) {
    return transactions.write(
        connection -> {
          Object now = Sql.orNull(Sql.givenNow(connection, clock));
          int reopened =
              switch (scope) {
                case FeedScope.One feed ->
                    count(connection, RETRY_ONE, now, feed.feedId(), isForced, max);
                case FeedScope.All every -> count(connection, RETRY_ALL, now, isForced, max);
              };
          record(connection, isForced ? "forced retry" : "retry", scope, actor, reopened);
          return reopened;
        });
  }

  private static int count(Connection connection, String sql, Object... parameters)
      throws SQLException {
    return Sql.first(connection, row -> row.getInt(1), sql, parameters).orElseThrow();
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
