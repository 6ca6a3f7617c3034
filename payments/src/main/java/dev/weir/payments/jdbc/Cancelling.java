package dev.weir.payments.jdbc;

import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cancels payments, one or those of feeds by the same rule: a payment that has not ended, whose
 * feed is complete, and of which no call is in progress. One that was called before may be in its
 * retries.
 */
final class Cancelling {
  /** Results of calls after which a payment may have been made: unknown and contradicted. */
  static final String MAY_BE_MADE =
      "select from payment_call c where c.payment_id = p.payment_id and c.result in (4, 6)";

  /**
   * Whether a payment p may have been made by a call of which nothing is known, or which is lost.
   */
  static final String MAY_BE_MADE_UNKNOWN =
      "(exists (%s offset 0) or %s is not null)".formatted(MAY_BE_MADE, PaymentHistory.RESTORED_AT);

  /** The rule, for an open payment p at the time {@code present.at}. */
  static final String CANCELLABLE =
      """
      %s
      and not exists (select from payment_call c
                      where c.payment_id = p.payment_id and c.in_progress_until > present.at
                      offset 0)
      """
          .formatted(PaymentRow.IS_COMPLETE);

  /**
   * Waits for calls that are being begun. The next statement sees them, which one that waits itself
   * would not.
   */
  private static final String LOCK =
      """
      select from payment p where p.payment_id = any(?) order by p.payment_id for update
      """;

  private static final String CANCEL =
      """
      with present as (select coalesce(?::bigint, %1$s) as at),
      ended as (
        update payment p set state = 5
        from present
        where p.payment_id = any(?) and %4$s and %2$s
        returning p.payment_id, p.feed_no, p.state, p.attempts, present.at,
                  ? || case when %3$s then ', and may have been made' else '' end as detail)
      insert into payment_audit (payment_id, feed_no, state, attempts, ended_at, detail,
                                 recorded_at)
      select e.payment_id, e.feed_no, e.state, e.attempts, e.at, e.detail, %1$s from ended e
      """
          .formatted(
              Dialect.POSTGRESQL.now(), CANCELLABLE, MAY_BE_MADE_UNKNOWN, PaymentRow.IS_OPEN);

  private Cancelling() {}

  /**
   * Cancels those of some payments that can be cancelled. Must be called in a transaction in which
   * each statement sees what is committed before it.
   *
   * @param now the time to decide by; null for the clock of the database
   * @param detail what the audit record says
   * @return how many
   */
  static int cancel(
      Connection connection, @Nullable Long now, List<String> paymentIds, String detail)
      throws SQLException {
    String[] ids = paymentIds.toArray(new String[0]);
    Sql.list(connection, row -> true, LOCK, (Object) ids);
    return Sql.update(connection, CANCEL, Sql.orNull(now), ids, detail);
  }
}
