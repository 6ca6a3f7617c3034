package dev.weir.store.jdbc.payments;

import dev.weir.engine.payments.FeedScope;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;

/** Holds of feeds. */
final class PaymentHolds {
  /**
   * A condition about the payment {@code p} or its feed {@code p}. A statement that decides whether
   * a payment is called contains it, so that no look before the statement can be outdated.
   */
  static final String NOT_HELD =
      "not exists (select from payment_hold h where h.feed_no in (0, p.feed_no))";

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

  private static final String IS_HELD =
      "select from payment p where p.payment_id = ? and not " + NOT_HELD;

  private final Transactions transactions;

  PaymentHolds(Transactions transactions) {
    this.transactions = transactions;
  }

  boolean hold(FeedScope scope) {
    return change(scope, HOLD_ONE, HOLD_ALL);
  }

  boolean resume(FeedScope scope) {
    return change(scope, RESUME_ONE, RESUME_ALL);
  }

  private boolean change(FeedScope scope, String one, String all) {
    return transactions.autoCommit(
            connection ->
                switch (scope) {
                  case FeedScope.One feed -> Sql.update(connection, one, feed.feedId());
                  case FeedScope.All every -> Sql.update(connection, all);
                })
        > 0;
  }

  boolean isHeld(String paymentId) {
    return transactions.read(
        connection -> Sql.first(connection, row -> true, IS_HELD, paymentId).isPresent());
  }

  boolean isAllHeld() {
    return transactions.read(
        connection ->
            Sql.first(connection, row -> true, "select from payment_hold where feed_no = 0")
                .isPresent());
  }
}
