package dev.weir.payments.jdbc;

import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStatus;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.util.Optional;

/** What became of single payments, for those who ask. */
final class PaymentStates {
  /** Of a feed that is being received nobody knows whether its sender is still there. */
  private static final String FIND =
      """
      select p.payment_id, f.feed_id, p.state, p.attempts, a.ended_at,
             case when f.state = 0 then 'its feed is not complete: nothing of it is paid before all'
                    || ' of it is received; if it broke off, send it again under its id'
                  when p.state in (4, 5) and exists (
                    select from payment_call c
                    where c.payment_id = p.payment_id and c.result = 1 offset 0)
                    then 'it is made, says an answer that came later; before: ' || a.detail
                  else coalesce(a.detail, '') end as detail
      from payment p
      %s
      left join lateral (
        select l.ended_at, l.detail from payment_audit l
        where l.payment_id = p.payment_id and l.state = p.state
        order by l.recorded_at desc limit 1) a on true
      where p.payment_id = ?
      """
          .formatted(PaymentRow.FEED);

  private static final String FIND_REJECTED =
      """
      select r.payment_id, f.feed_id, r.reason
      from (select * from payment_reject where payment_id = ? and payment_id <> '' offset 0) r
      %s
      order by r.feed_no desc, r.line desc limit 1
      """
          .formatted(PaymentRow.feedOf("r"));

  private final Transactions transactions;

  PaymentStates(Transactions transactions) {
    this.transactions = transactions;
  }

  Optional<PaymentStatus> find(String paymentId) {
    return transactions.read(
        connection -> {
          Optional<PaymentStatus> payment =
              Sql.first(
                  connection,
                  row -> {
                    PaymentState state = PaymentRow.state(row.getInt("state"));
                    return new PaymentStatus(
                        row.getString("payment_id"),
                        row.getString("feed_id"),
                        state,
                        row.getInt("attempts"),
                        PaymentRow.time(row, "ended_at"),
                        row.getString("detail"));
                  },
                  FIND,
                  paymentId);
          if (payment.isPresent()) {
            return payment;
          }
          return Sql.first(
              connection,
              row ->
                  new PaymentStatus(
                      row.getString("payment_id"),
                      row.getString("feed_id"),
                      PaymentState.REJECTED,
                      0,
                      Optional.empty(),
                      row.getString("reason")),
              FIND_REJECTED,
              paymentId);
        });
  }
}
