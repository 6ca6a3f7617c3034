package dev.weir.store.jdbc.payments;

import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/**
 * Payments that change their feed, because the one that they came with is not complete. It may
 * never be: its sender may have given up and sent the same records as another feed.
 */
final class FeedTakeOver {
  /** Other feeds that are still being received and have one of these payments. */
  private static final String INCOMPLETE =
      """
      select f.feed_no from payment_feed f
      where f.state = 0 and f.feed_no <> ?
        and f.feed_no in (select p.feed_no from payment p where p.payment_id = any(?))
      """;

  /** In the same order for everyone, so that two feeds do not wait for each other. */
  private static final String LOCK =
      "select feed_no from payment_feed where feed_no = any(?) order by feed_no for update";

  private static final String TAKE_OVER =
      """
      with taken as (
        delete from payment p
        using payment_feed f
        where p.payment_id = any(?) and f.feed_no = p.feed_no and f.state = 0
          and f.feed_no = any(?)
        returning p.feed_no)
      update payment_feed f
      set accepted_count = f.accepted_count - t.payments,
          repeated_count = f.repeated_count + t.payments
      from (select feed_no, count(*) as payments from taken group by feed_no) t
      where f.feed_no = t.feed_no
      """;

  private FeedTakeOver() {}

  /** Returns the numbers of other feeds that have some of the payments and are not complete. */
  static Set<Integer> incomplete(Connection connection, int feed, String[] paymentIds)
      throws SQLException {
    return new HashSet<>(Sql.list(connection, row -> row.getInt(1), INCOMPLETE, feed, paymentIds));
  }

  /** Locks feeds, so that no records are added to them. */
  static void lock(Connection connection, Set<Integer> feeds) throws SQLException {
    Sql.list(connection, row -> row.getInt(1), LOCK, (Object) feeds.toArray(Integer[]::new));
  }

  /** Removes payments from locked feeds, except from those that were completed meanwhile. */
  static void take(Connection connection, Set<Integer> feeds, String[] paymentIds)
      throws SQLException {
    Sql.update(connection, TAKE_OVER, paymentIds, feeds.toArray(Integer[]::new));
  }
}
