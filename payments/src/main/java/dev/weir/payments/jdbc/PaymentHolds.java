package dev.weir.payments.jdbc;

import dev.weir.store.jdbc.internal.Sql;
import dev.weir.store.jdbc.internal.Transactions;

/** Reads the holds of feeds. */
final class PaymentHolds {
  /**
   * A condition about the payment {@code p} or its feed {@code p}. A statement that decides whether
   * a payment is called contains it, so that no look before the statement can be outdated.
   */
  static final String NOT_HELD =
      "not exists (select from payment_hold h where h.feed_no in (0, p.feed_no) offset 0)";

  /**
   * The feed of a payment that has a workflow is incomplete after the database was restored to a
   * state of its reception.
   */
  private static final String IS_HELD =
      "select from payment p where p.payment_id = ? and not (%s and %s)"
          .formatted(NOT_HELD, PaymentRow.IS_COMPLETE);

  private final Transactions transactions;

  PaymentHolds(Transactions transactions) {
    this.transactions = transactions;
  }

  boolean isHeld(String paymentId) {
    return transactions.read(
        connection -> Sql.first(connection, row -> true, IS_HELD, paymentId).isPresent());
  }

  String reason() {
    return transactions.read(
        connection ->
            Sql.first(
                    connection,
                    row -> row.getString(1),
                    "select reason from payment_hold where feed_no = 0")
                .orElse(""));
  }

  boolean isAllHeld() {
    return transactions.read(
        connection ->
            Sql.first(connection, row -> true, "select from payment_hold where feed_no = 0")
                .isPresent());
  }
}
