package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentStore.CallCount;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.util.List;

/** How many calls were recorded for the payments of a feed, and when. */
final class CallCounts {
  private static final String CALLS =
      """
      select c.called_at - c.called_at % ? as from_micros, count(*) as calls
      from payment_call c
      where c.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
      group by 1 order by 1 limit ?
      """;

  /** A second is half-open: two calls exactly one second apart do not share one. */
  private static final String MAX_IN_A_SECOND =
      """
      select coalesce(max(w.calls), 0)
      from (
        select count(*) over (
          order by c.called_at range between 999999 preceding and current row) as calls
        from payment_call c
        where c.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)) w
      """;

  private static final String TOO_MANY =
      """
      select count(*)
      from payment_call c
      where c.feed_no = (select f.feed_no from payment_feed f where f.feed_id = ?)
        and c.result = ?
      """;

  private final Transactions transactions;

  CallCounts(Transactions transactions) {
    this.transactions = transactions;
  }

  List<CallCount> calls(String feedId, long intervalMicros, int max) {
    return transactions.read(
        connection ->
            Sql.list(
                connection,
                row ->
                    new CallCount(Micros.instant(row.getLong("from_micros")), row.getInt("calls")),
                CALLS,
                intervalMicros,
                feedId,
                max));
  }

  int maxCallsInASecond(String feedId) {
    return transactions.read(
        connection ->
            Sql.first(connection, row -> row.getInt(1), MAX_IN_A_SECOND, feedId).orElse(0));
  }

  long callsTooMany(String feedId) {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> row.getLong(1),
                    TOO_MANY,
                    feedId,
                    PaymentRow.number(PaymentCall.Result.TOO_MANY))
                .orElse(0L));
  }
}
