package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import dev.weir.payments.PaymentStore.Beginning;
import dev.weir.payments.PaymentStore.Cancellation;
import dev.weir.payments.PaymentStore.PastCalls;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.clock.internal.ClockReading;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What becomes of single payments: their beginning, their calls and their end. */
final class PaymentEnds {
  /** How the audit record begins of a payment for which no workflow could be started. */
  static final String NOT_STARTED = "not made and not called: ";

  /** The time to decide by: a parameter, or the clock of the database if that is null. */
  private static final String NOW =
      "(select coalesce(?::bigint, %s))".formatted(Dialect.POSTGRESQL.now());

  /** A payment that runs already is returned as well: its worker may have died. */
  private static final String BEGIN =
      """
      update payment p set state = 2
      where p.payment_id = ? and %s
      returning p.attempts, %s as now_micros, %s as restored_at, %s
      """
          .formatted(PaymentRow.IS_OPEN, NOW, PaymentHistory.RESTORED_AT, PaymentRow.CONTENT);

  private static final String PAST_CALLS =
      """
      with past as (
             select c.*, coalesce(p.retried_at, 0) as since
             from payment_call c join payment p on p.payment_id = c.payment_id
             where c.payment_id = ?),
           present as (select ?::bigint as at)
      select min(called_at) filter (where called_at > since) as first_called,
             max(in_progress_until) filter (where in_progress_until > present.at) as in_progress,
             max(called_at) filter (
               where result in (4, 6) and coalesce(in_progress_until, 0) <= present.at) as unknown,
             (array_agg(detail order by called_at desc))[1] as last_detail
      from past, present
      """;

  /**
   * Begins a call. Of two attempts at the same time, the second one waits for the row of the
   * payment, and then finds another number of calls; so does a cancellation with the state. None is
   * begun in a database that lacks the last call that this process recorded. Earlier calls are
   * compared by all columns of the primary key, because another index has their time.
   */
  private static final String BEGIN_CALL =
      """
      with present as (select %s as at),
      begun as (
        update payment p set attempts = p.attempts + 1, slotless_since = null
        from present
        where p.payment_id = ? and p.state + 0 = 2 and p.attempts = ? and %s and %s and %s
          and not exists (
            select from payment_call c
            where (c.payment_id, c.called_at) <= (p.payment_id, present.at - ?)
              and (c.payment_id, c.called_at) > (p.payment_id, coalesce(p.retried_at, 0))
            offset 0)
        returning p.payment_id, p.feed_no, present.at)
      insert into payment_call (payment_id, feed_no, called_at, answered_at, result, detail,
                                in_progress_until)
      select b.payment_id, b.feed_no, b.at, b.at, 4, 'its answer is not recorded', b.at + ?
      from begun b
      returning called_at
      """
          .formatted(NOW, PaymentRow.IS_COMPLETE, PaymentHolds.NOT_HELD, PaymentHistory.HAS_CALL);

  private static final String WITHDRAW_CALL =
      """
      with withdrawn as (
        delete from payment_call c
        where c.payment_id = ? and c.called_at = ? and c.in_progress_until is not null
        returning c.payment_id)
      update payment p set attempts = p.attempts - 1
      where p.payment_id = (select w.payment_id from withdrawn w)
      """;

  /**
   * Writes the result of a call. A known result is not replaced by another one. One without a
   * record of its beginning is of a node of an earlier version, and is counted here. What is not
   * materialized is no table to join, but parameters.
   */
  private static final String RESULT =
      """
      with result as not materialized (
        select ?::text as payment_id, ?::bigint as called_at, ?::bigint as answered_at,
               ?::smallint as result, ?::text as detail),
      answered as (
        update payment_call c
        set answered_at = r.answered_at, result = r.result, detail = r.detail,
            in_progress_until = null
        from result r
        where c.payment_id = r.payment_id and c.called_at = r.called_at and c.result = 4),
      added as (
        insert into payment_call (payment_id, feed_no, called_at, answered_at, result, detail)
        select p.payment_id, p.feed_no, r.called_at, r.answered_at, r.result, r.detail
        from payment p join result r on r.payment_id = p.payment_id
        on conflict (payment_id, called_at) do nothing
        returning 1)
      """;

  private static final String ATTEMPTED =
      RESULT
          + """
          update payment p set attempts = p.attempts + 1
          where p.payment_id = ? and exists (select from added)
          """;

  /**
   * A payment that was made is recorded as made in any database. In one that lacks the last call
   * that this process recorded, none fails before the loss is noticed: it may have been made.
   */
  private static final String ENDED =
      RESULT
          + """
          , ended as (
            update payment p set state = ?, attempts = p.attempts + (select count(*) from added)
            where p.payment_id = ? and %1$s and (? or %3$s)
            returning p.payment_id, p.feed_no, p.state, p.attempts)
          insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                     recorded_at)
          select e.payment_id, e.feed_no, e.state, e.attempts, ?, ?, %2$s from ended e
          returning %3$s
          """
              .formatted(PaymentRow.IS_OPEN, Dialect.POSTGRESQL.now(), PaymentHistory.HAS_CALL);

  private static final String HAS_UNKNOWN_CALL =
      """
      select from payment p
      where p.payment_id = ? and (exists (%s and c.called_at <> ? offset 0) or %s is not null)
      """
          .formatted(Cancelling.MAY_BE_MADE, PaymentHistory.RESTORED_AT);

  private static final String WITHOUT_SLOT =
      """
      update payment p set slotless_since = coalesce(p.slotless_since, ?)
      where p.payment_id = ? returning p.slotless_since
      """;

  private static final String WITH_SLOT =
      """
      update payment p set slotless_since = null
      where p.payment_id = ? and p.slotless_since is not null
      """;

  private static final String FAILED =
      """
      with ended as (
        update payment p set state = 4 where p.payment_id = ? and %s and %s
        returning p.payment_id, p.feed_no, p.state, p.attempts)
      insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                 recorded_at)
      select e.payment_id, e.feed_no, e.state, e.attempts, ?, ?, %s from ended e
      """
          .formatted(PaymentRow.IS_OPEN, PaymentHistory.HAS_CALL, Dialect.POSTGRESQL.now());

  private final Transactions transactions;
  private final StoreClock clock;
  private final PaymentHistory history;

  PaymentEnds(Transactions transactions, StoreClock clock, PaymentHistory history) {
    this.transactions = transactions;
    this.clock = clock;
    this.history = history;
  }

  Optional<Beginning> begin(String paymentId) {
    Optional<Beginning> running =
        transactions.autoCommit(
            connection ->
                Sql.first(
                    connection,
                    row ->
                        new Beginning.Running(
                            PaymentRow.payment(row),
                            Micros.instant(row.getLong("now_micros")),
                            calls(connection, row.getInt("attempts"), row)),
                    BEGIN,
                    paymentId,
                    Sql.orNull(ClockReading.givenNow(connection, clock))));
    return running.isPresent() ? running : state(paymentId).map(Beginning.Ended::new);
  }

  /** Most payments have none when they begin, and need no further statement. */
  private static PastCalls calls(Connection connection, int count, ResultSet payment)
      throws SQLException {
    Optional<Instant> restored = PaymentRow.time(payment, "restored_at");
    if (count == 0) {
      return restored.isEmpty()
          ? PastCalls.NONE
          : new PastCalls(0, Optional.empty(), Optional.empty(), restored, "");
    }
    return Sql.first(
            connection,
            row ->
                new PastCalls(
                    count,
                    PaymentRow.time(row, "first_called"),
                    PaymentRow.time(row, "in_progress"),
                    PaymentRow.time(row, "unknown").or(() -> restored),
                    Objects.requireNonNullElse(row.getString("last_detail"), "")),
            PAST_CALLS,
            payment.getString("payment_id"),
            payment.getLong("now_micros"))
        .orElseThrow();
  }

  Optional<Instant> beginCall(
      String paymentId, int knownCalls, Duration maxCall, Duration maxTime) {
    PaymentHistory.KnownCall last = history.last();
    Optional<Instant> begun =
        transactions.autoCommit(
            connection ->
                Sql.first(
                    connection,
                    row -> Micros.instant(row.getLong(1)),
                    BEGIN_CALL,
                    Sql.orNull(ClockReading.givenNow(connection, clock)),
                    paymentId,
                    knownCalls,
                    PaymentHistory.KnownCall.id(last),
                    PaymentHistory.KnownCall.time(last),
                    Micros.saturated(maxTime),
                    Micros.saturated(maxCall)));
    if (begun.isEmpty()) {
      boolean unused = history.holdIfRestored();
    }
    return begun;
  }

  void withdrawCall(String paymentId, Instant calledAt) {
    transactions.autoCommit(
        connection -> Sql.update(connection, WITHDRAW_CALL, paymentId, Micros.ceil(calledAt)));
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
                call.paymentId(),
                Micros.ceil(call.calledAt()),
                Micros.ceil(call.answeredAt()),
                PaymentRow.number(call.result()),
                call.detail(),
                call.paymentId()));
  }

  boolean ended(PaymentCall call, PaymentState state) {
    PaymentHistory.KnownCall last = history.last();
    Optional<Boolean> hasLast =
        transactions.autoCommit(
            connection ->
                Sql.first(
                    connection,
                    row -> row.getBoolean(1),
                    ENDED,
                    call.paymentId(),
                    Micros.ceil(call.calledAt()),
                    Micros.ceil(call.answeredAt()),
                    PaymentRow.number(call.result()),
                    call.detail(),
                    PaymentRow.number(state),
                    call.paymentId(),
                    state == PaymentState.PAID,
                    PaymentHistory.KnownCall.id(last),
                    PaymentHistory.KnownCall.time(last),
                    Micros.ceil(call.answeredAt()),
                    call.detail(),
                    PaymentHistory.KnownCall.id(last),
                    PaymentHistory.KnownCall.time(last)));
    if (hasLast.isEmpty()) {
      history.refuseIfRestored();
    }
    if (hasLast.orElse(false)) {
      history.recorded(
          last, new PaymentHistory.KnownCall(call.paymentId(), Micros.ceil(call.calledAt())));
    }
    return hasLast.isPresent();
  }

  Instant withoutSlot(String paymentId, Instant now) {
    return transactions
        .autoCommit(
            connection ->
                Sql.first(
                    connection,
                    row -> Micros.instant(row.getLong(1)),
                    WITHOUT_SLOT,
                    Micros.ceil(now),
                    paymentId))
        .orElse(now);
  }

  void withSlot(String paymentId) {
    transactions.autoCommit(connection -> Sql.update(connection, WITH_SLOT, paymentId));
  }

  boolean failed(String paymentId, Instant at, String reason) {
    PaymentHistory.KnownCall last = history.last();
    boolean hasFailed =
        transactions.autoCommit(
                connection ->
                    Sql.update(
                        connection,
                        FAILED,
                        paymentId,
                        PaymentHistory.KnownCall.id(last),
                        PaymentHistory.KnownCall.time(last),
                        Micros.ceil(at),
                        reason))
            > 0;
    if (!hasFailed) {
      history.refuseIfRestored();
    }
    return hasFailed;
  }

  boolean notStarted(String paymentId, String reason) {
    return failed(paymentId, now(), PaymentCall.storable(NOT_STARTED + reason));
  }

  Instant now() {
    return transactions.read(
        connection -> Micros.instant(ClockReading.now(connection, Dialect.POSTGRESQL, clock)));
  }

  Optional<Instant> firstCall(String paymentId) {
    return transactions.read(
        connection ->
            Sql.first(
                connection,
                row -> Micros.instant(row.getLong(1)),
                "select called_at from payment_call where payment_id = ? order by called_at limit"
                    + " 1",
                paymentId));
  }

  boolean hasUnknownCall(String paymentId, Instant except) {
    return transactions.read(
        connection ->
            Sql.first(connection, row -> true, HAS_UNKNOWN_CALL, paymentId, Micros.ceil(except))
                .isPresent());
  }

  Optional<Cancellation> cancel(String paymentId) {
    return transactions.write(
        connection -> {
          Long now = ClockReading.givenNow(connection, clock);
          boolean isNew = Cancelling.cancel(connection, now, List.of(paymentId), "cancelled") > 0;
          return state(connection, paymentId).map(state -> new Cancellation(state, isNew));
        });
  }
}
