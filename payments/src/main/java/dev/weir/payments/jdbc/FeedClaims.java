package dev.weir.payments.jdbc;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Payments that several feeds contain. While two of them are being received, nobody knows which
 * will be complete, or whether any will be: the first holds the row of the payment, the others have
 * claims. When a feed is complete its claims are settled: what a complete feed holds is repeated or
 * contradicted, and what another one holds is taken, which leaves that one with a claim.
 */
final class FeedClaims {
  /** Claims that are settled by one statement, each of which has a limited time. */
  private static final int PORTION = 5_000;

  private static final String CONTENT =
      "line, payment_id, amount, currency, debtor_account, creditor_account, requested, reference,"
          + " config_name";

  /** Joins the payment {@code p} that has the id of a claim {@code c}. */
  private static final String CLAIMED =
      "cross join lateral (select * from payment o where o.payment_id = c.payment_id offset 0) p";

  /** Other feeds that are being received and hold payments which a feed claims. */
  private static final String HOLDERS =
      """
      select distinct p.feed_no
      from payment_claim c
      %s
      %s
      where c.feed_no = ? and f.state = 0
      """
          .formatted(CLAIMED, PaymentRow.FEED);

  /** In the same order for everyone, so that two feeds do not wait for each other. */
  private static final String LOCK =
      "select feed_no from payment_feed where feed_no = any(?) order by feed_no for update";

  private static final String NEXT =
      "select payment_id from payment_claim where feed_no = ? order by payment_id limit ?";

  private static final String REPEATED =
      """
      delete from payment_claim c
      where c.feed_no = ? and c.payment_id = any(?) and exists (
        select from payment p
        where p.payment_id = c.payment_id
          and ((select f.state from payment_feed f where f.feed_no = p.feed_no) > 0
               or p.state + 0 > 2)
          and p.amount = c.amount and p.currency = c.currency
          and p.debtor_account = c.debtor_account and p.creditor_account = c.creditor_account
          and p.requested is not distinct from c.requested
          and p.reference = c.reference and p.config_name = c.config_name
        offset 0)
      """;

  /** What is left after {@link #REPEATED}. */
  private static final String CONTRADICTED =
      """
      select %s
      from payment_claim c
      %s
      %s
      where c.feed_no = ? and c.payment_id = any(?) and (f.state > 0 or p.state + 0 > 2)
      """
          .formatted(PaymentRow.CONTENT, CLAIMED, PaymentRow.FEED);

  private static final String REMOVE =
      """
      delete from payment_claim p where p.feed_no = ? and p.payment_id = any(?)
      returning p.line, %s
      """
          .formatted(PaymentRow.CONTENT);

  /** Leaves those who lose a payment with a claim. */
  private static final String TAKE =
      """
      with taken as (
        delete from payment p
        where p.payment_id = any(array(
            select c.payment_id from payment_claim c where c.feed_no = ? and c.payment_id = any(?)))
          and p.feed_no = any(?) and p.state + 0 in (1, 2)
        returning p.feed_no, p.line, p.payment_id, p.amount, p.currency, p.debtor_account,
                  p.creditor_account, p.requested, p.reference, p.config_name),
      claims as (
        insert into payment_claim (feed_no, %s) select feed_no, %s from taken)
      update payment_feed f
      set accepted_count
        = f.accepted_count - (select count(*) from taken t where t.feed_no = f.feed_no)
      where f.feed_no = any(array(select distinct feed_no from taken))
      """
          .formatted(CONTENT, CONTENT);

  /** A payment that was taken has calls if the database was restored, see {@link FeedReception}. */
  private static final String HOLD =
      """
      with mine as (
        delete from payment_claim where feed_no = ? and payment_id = any(?)
        returning feed_no, %s)
      insert into payment (state, attempts, feed_no, %s)
      select 1, (select count(*) from payment_call k where k.payment_id = mine.payment_id), feed_no,
             %s
      from mine order by payment_id
      on conflict (payment_id) do nothing
      """
          .formatted(CONTENT, CONTENT, CONTENT);

  private FeedClaims() {}

  /** What became of the claims of a feed: the numbers of its records. */
  record Settled(int accepted, int repeated, int rejected) {}

  /**
   * Locks a feed and those that hold what it claims, so that none of them is completed meanwhile.
   * Returns the numbers of those.
   */
  static Integer[] lock(Connection connection, int feed) throws SQLException {
    List<Integer> holders = Sql.list(connection, row -> row.getInt(1), HOLDERS, feed);
    TreeSet<Integer> all = new TreeSet<>(holders);
    all.add(feed);
    Sql.list(connection, row -> row.getInt(1), LOCK, (Object) all.toArray(Integer[]::new));
    return holders.toArray(Integer[]::new);
  }

  /**
   * Settles the claims of a locked feed.
   *
   * @param holders the other locked feeds
   */
  static Settled settle(Connection connection, int feed, Integer[] holders) throws SQLException {
    // Those that were completed before they were locked keep what they have.
    Integer[] incomplete =
        Sql.list(
                connection,
                row -> row.getInt(1),
                "select feed_no from payment_feed where feed_no = any(?) and state = 0",
                (Object) holders)
            .toArray(Integer[]::new);
    int accepted = 0;
    int repeated = 0;
    int rejected = 0;
    while (true) {
      String[] ids =
          Sql.list(connection, row -> row.getString(1), NEXT, feed, PORTION).toArray(String[]::new);
      if (ids.length == 0) {
        return new Settled(accepted, repeated, rejected);
      }
      int same = Sql.update(connection, REPEATED, feed, ids);
      List<FeedRecord.Rejected> rejects = contradicted(connection, feed, ids);
      FeedReception.reject(connection, feed, rejects);
      Sql.update(connection, TAKE, feed, ids, incomplete);
      int held = Sql.update(connection, HOLD, feed, ids);
      if (same + rejects.size() + held < ids.length) {
        throw new SQLException("yet another feed has added one of them", Transactions.TRY_AGAIN);
      }
      repeated += same;
      rejected += rejects.size();
      accepted += held;
    }
  }

  /** Removes the claims that describe a payment of a complete feed differently. */
  private static List<FeedRecord.Rejected> contradicted(
      Connection connection, int feed, String[] ids) throws SQLException {
    List<Payment> known = Sql.list(connection, PaymentRow::payment, CONTRADICTED, feed, ids);
    if (known.isEmpty()) {
      return List.of();
    }
    List<FeedRecord.Rejected> rejects = new ArrayList<>();
    Map<String, FeedRecord.Accepted> claims = new HashMap<>();
    Sql.list(
        connection,
        row -> claims.put(row.getString("payment_id"), claim(row)),
        REMOVE,
        feed,
        known.stream().map(Payment::paymentId).toArray(String[]::new));
    for (Payment other : known) {
      FeedRecord.Accepted claim = claims.get(other.paymentId());
      if (claim == null || claim.payment().sameContent(other)) {
        throw new SQLException("its feed was completed meanwhile", Transactions.TRY_AGAIN);
      }
      rejects.add(FeedReception.contradiction(claim, other));
    }
    return rejects;
  }

  private static FeedRecord.Accepted claim(ResultSet row) throws SQLException {
    return new FeedRecord.Accepted(row.getLong("line"), PaymentRow.payment(row));
  }
}
