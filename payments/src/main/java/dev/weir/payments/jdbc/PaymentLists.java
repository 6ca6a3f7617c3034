package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.FeedScope;
import dev.weir.payments.PaymentQuery;
import dev.weir.payments.PaymentQuery.Cursor;
import dev.weir.payments.PaymentQuery.Found;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists payments by state. */
final class PaymentLists {
  /**
   * By the latest end of each. No payment of a feed ends before the feed arrives, so that the
   * payments of others before it are not read.
   */
  private static final String ENDED =
      """
      select a.payment_id, f.feed_id, a.attempts, a.ended_at, a.detail, a.ended_at as first_place,
             a.payment_id as second_place
      from payment_audit a
      %s
      where a.state = ? and a.ended_at >= ? and a.ended_at < ?
        and (a.ended_at, a.payment_id) > (?, ?::text)
        and not exists (
          select from payment_audit l
          where l.payment_id = a.payment_id and l.recorded_at > a.recorded_at offset 0)
        and (select p.state from payment p where p.payment_id = a.payment_id) = a.state
      """
          .formatted(PaymentRow.feedOf("a"));

  private static final String ENDED_OF_ONE =
      """
        and a.feed_no = (select o.feed_no from payment_feed o where o.feed_id = ?)
        and a.ended_at >= (select o.created_at from payment_feed o where o.feed_id = ?)
      """;

  private static final String ENDED_ORDER = "order by a.ended_at, a.payment_id limit ?";

  private static final String OPEN =
      """
      select p.payment_id, f.feed_id, p.attempts, null::bigint as ended_at, '' as detail,
             p.feed_no as first_place, p.line::text as second_place
      from payment p
      %s
      where p.state in (1, 2) and p.state = ? and f.state > 0
        and coalesce(p.requested, f.created_at) >= ? and coalesce(p.requested, f.created_at) < ?
        and (p.feed_no, p.line) > (?, ?)
      """
          .formatted(PaymentRow.FEED);

  private static final String OPEN_OF_ONE =
      "  and p.feed_no = (select o.feed_no from payment_feed o where o.feed_id = ?)\n";

  private static final String OPEN_ORDER = "order by p.feed_no, p.line limit ?";

  private final Transactions transactions;

  PaymentLists(Transactions transactions) {
    this.transactions = transactions;
  }

  List<Found> list(PaymentQuery query) {
    boolean isOpen = query.state().isOpen();
    List<Object> parameters = new ArrayList<>();
    parameters.add(PaymentRow.number(query.state()));
    parameters.add(Micros.clamped(query.from()));
    parameters.add(Micros.clamped(query.before()));
    parameters.add(query.after().first());
    parameters.add(isOpen ? line(query.after()) : query.after().second());
    StringBuilder sql = new StringBuilder(isOpen ? OPEN : ENDED);
    if (query.scope() instanceof FeedScope.One one) {
      sql.append(isOpen ? OPEN_OF_ONE : ENDED_OF_ONE);
      parameters.add(one.feedId());
      if (!isOpen) {
        parameters.add(one.feedId());
      }
    }
    sql.append(isOpen ? OPEN_ORDER : ENDED_ORDER);
    parameters.add(query.max());
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row -> found(row, query.state()),
                sql.toString(),
                parameters.toArray()));
  }

  private static long line(Cursor after) {
    return after.second().isEmpty() ? Long.MIN_VALUE : Long.parseLong(after.second());
  }

  private static Found found(ResultSet row, PaymentState state) throws SQLException {
    Optional<Instant> endedAt = PaymentRow.time(row, "ended_at");
    return new Found(
        new PaymentStatus(
            row.getString("payment_id"),
            row.getString("feed_id"),
            state,
            row.getInt("attempts"),
            endedAt,
            row.getString("detail")),
        new Cursor(row.getLong("first_place"), row.getString("second_place")));
  }
}
