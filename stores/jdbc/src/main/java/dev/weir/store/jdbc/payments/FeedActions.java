package dev.weir.store.jdbc.payments;

import dev.weir.engine.payments.FeedScope;
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

  private static final String RECORD =
      """
      insert into payment_action (action, feed_id, actor, payments, acted_at)
      values (?, ?, ?, ?, %s)
      """
          .formatted(Dialect.POSTGRESQL.now());

  private final Transactions transactions;

  FeedActions(Transactions transactions) {
    this.transactions = transactions;
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
