package dev.weir.store.jdbc.payments;

import dev.weir.core.internal.Micros;
import dev.weir.engine.payments.PaymentCall;
import dev.weir.engine.payments.PaymentState;
import dev.weir.engine.payments.PaymentStatus;
import dev.weir.engine.payments.PaymentStore.Beginning;
import dev.weir.engine.payments.PaymentStore.CallCount;
import dev.weir.engine.payments.PaymentStore.Cancellation;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** What becomes of single payments: their beginning, their calls and their end. */
final class PaymentEnds {
  private static final List<PaymentCall.Result> RESULTS = List.of(PaymentCall.Result.values());

  /** A payment that runs already is returned as well: its worker may have died. */
  private static final String BEGIN =
      """
      update payment p set state = 2
      where p.payment_id = ? and p.state in (1, 2)
      returning p.attempts, %s
      """
          .formatted(PaymentRow.CONTENT);

  /** Writes a call. A call that is known is not counted again. */
  private static final String CALL =
      """
      with call as (
        insert into payment_call (payment_id, feed_no, called_at, answered_at, result, detail)
        select p.payment_id, p.feed_no, ?, ?, ?, ? from payment p where p.payment_id = ?
        on conflict (payment_id, called_at) do nothing
        returning 1)
      """;

  private static final String ATTEMPTED =
      CALL
          + """
            update payment p set attempts = p.attempts + 1
            where p.payment_id = ? and exists (select from call)
            """;

  private static final String ENDED =
      CALL
          + """
            , ended as (
              update payment p set state = ?, attempts = p.attempts + (select count(*) from call)
              where p.payment_id = ? and p.state in (1, 2)
              returning p.payment_id, p.feed_no, p.state, p.attempts)
            insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                       recorded_at)
            select e.payment_id, e.feed_no, e.state, e.attempts, ?, ?, %s from ended e
            """
              .formatted(Dialect.POSTGRESQL.now());

  private static final String CANCEL =
      """
      with ended as (
        update payment p set state = 5
        where p.payment_id = ? and p.state = 1
          and exists (select from payment_feed f where f.feed_no = p.feed_no and f.state > 0)
        returning p.payment_id, p.feed_no, p.state, p.attempts)
      insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                 recorded_at)
      select e.payment_id, e.feed_no, e.state, e.attempts, %s, 'cancelled', %s from ended e
      """
          .formatted(Dialect.POSTGRESQL.now(), Dialect.POSTGRESQL.now());

  private static final String FIND =
      """
      select p.payment_id, f.feed_id, p.state, p.attempts, a.ended_at, coalesce(a.detail, '')
               as detail
      from payment p
      join payment_feed f on f.feed_no = p.feed_no
      left join payment_audit a on a.payment_id = p.payment_id
      where p.payment_id = ?
      """;

  private static final String FIND_REJECTED =
      """
      select r.payment_id, f.feed_id, r.reason
      from payment_reject r
      join payment_feed f on f.feed_no = r.feed_no
      where r.payment_id = ? and r.payment_id <> ''
      order by r.feed_no desc, r.line desc limit 1
      """;

  private static final String CALLS =
      """
      select c.called_at - c.called_at % ? as from_micros, count(*) as calls
      from payment_feed f
      join payment_call c on c.feed_no = f.feed_no
      where f.feed_id = ?
      group by 1 order by 1 limit ?
      """;

  /** A second is half-open: two calls exactly one second apart do not share one. */
  private static final String MAX_IN_A_SECOND =
      """
      select coalesce(max(w.calls), 0)
      from (
        select count(*) over (
          order by c.called_at range between 999999 preceding and current row) as calls
        from payment_feed f
        join payment_call c on c.feed_no = f.feed_no
        where f.feed_id = ?) w
      """;

  private static final String TOO_MANY =
      """
      select count(*)
      from payment_feed f
      join payment_call c on c.feed_no = f.feed_no
      where f.feed_id = ? and c.result = ?
      """;

  private final Transactions transactions;

  PaymentEnds(Transactions transactions) {
    this.transactions = transactions;
  }

  Optional<Beginning> begin(String paymentId) {
    Optional<Beginning> running =
        transactions.autoCommit(
            connection ->
                Sql.first(
                    connection,
                    row -> new Beginning.Running(PaymentRow.payment(row), row.getInt("attempts")),
                    BEGIN,
                    paymentId));
    return running.isPresent() ? running : state(paymentId).map(Beginning.Ended::new);
  }

  private Optional<PaymentState> state(String paymentId) {
    return transactions.read(connection -> state(connection, paymentId));
  }

  private static Optional<PaymentState> state(Connection connection, String paymentId)
      throws SQLException {
    return Sql.first(
        connection,
        row -> PaymentRow.state(row.getInt(1)),
        "select state from payment where payment_id = ?",
        paymentId);
  }

  void attempted(PaymentCall call) {
    transactions.autoCommit(
        connection ->
            Sql.update(
                connection,
                ATTEMPTED,
                Micros.ceil(call.calledAt()),
                Micros.ceil(call.answeredAt()),
                number(call.result()),
                call.detail(),
                call.paymentId(),
                call.paymentId()));
  }

  boolean ended(PaymentCall call, PaymentState state) {
    int audits =
        transactions.autoCommit(
            connection ->
                Sql.update(
                    connection,
                    ENDED,
                    Micros.ceil(call.calledAt()),
                    Micros.ceil(call.answeredAt()),
                    number(call.result()),
                    call.detail(),
                    call.paymentId(),
                    PaymentRow.number(state),
                    call.paymentId(),
                    Micros.ceil(call.answeredAt()),
                    call.detail()));
    return audits > 0;
  }

  boolean hasUnknownCall(String paymentId) {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> true,
                    "select from payment_call where payment_id = ? and result = ? limit 1",
                    paymentId,
                    number(PaymentCall.Result.UNKNOWN))
                .isPresent());
  }

  private static int number(PaymentCall.Result result) {
    return RESULTS.indexOf(result) + 1;
  }

  Optional<Cancellation> cancel(String paymentId) {
    return transactions.write(
        connection -> {
          boolean isNew = Sql.update(connection, CANCEL, paymentId) > 0;
          return state(connection, paymentId).map(state -> new Cancellation(state, isNew));
        });
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
                    number(PaymentCall.Result.TOO_MANY))
                .orElse(0L));
  }
}
