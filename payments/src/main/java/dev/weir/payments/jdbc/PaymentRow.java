package dev.weir.payments.jdbc;

import dev.weir.internal.Micros;
import dev.weir.payments.Payment;
import dev.weir.payments.PaymentCall;
import dev.weir.payments.PaymentState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The columns of a payment, and the numbers of states and results. */
final class PaymentRow {
  /** The columns that {@link #payment} reads, of the table or alias {@code p}. */
  static final String CONTENT =
      "p.payment_id, p.amount, p.currency, p.debtor_account, p.creditor_account, p.requested,"
          + " p.reference, p.config_name";

  /**
   * Whether the payment {@code p}, which is found by its id, is open. A sum is in no index: the
   * index of open payments would be read by statistics of a time when there were none.
   */
  static final String IS_OPEN = "p.state + 0 in (1, 2)";

  /** Whether the feed of the payment {@code p} was received to its end. */
  static final String IS_COMPLETE =
      "exists (select from payment_feed f where f.feed_no = p.feed_no and f.state > 0 offset 0)";

  /** Joins the feed {@code f} of the payment {@code p}. */
  static final String FEED = feedOf("p");

  /** The number of {@link PaymentState#SCHEDULED}. */
  static final int SCHEDULED = 1;

  /** In the order of their numbers. */
  private static final List<PaymentState> STATES = List.of(PaymentState.values());

  private static final List<PaymentCall.Result> RESULTS = List.of(PaymentCall.Result.values());

  private PaymentRow() {}

  /** Returns a join with the feed {@code f} of a table that has its number. */
  static String feedOf(String alias) {
    return "cross join lateral (select * from payment_feed b where b.feed_no = %s.feed_no offset 0) f"
        .formatted(alias);
  }

  static Payment payment(ResultSet row) throws SQLException {
    return new Payment(
        row.getString("payment_id"),
        row.getBigDecimal("amount"),
        row.getString("currency"),
        row.getString("debtor_account"),
        row.getString("creditor_account"),
        time(row, "requested"),
        row.getString("reference"),
        row.getString("config_name"));
  }

  static PaymentState state(int number) {
    return STATES.get(number);
  }

  static int number(PaymentState state) {
    return STATES.indexOf(state);
  }

  static int number(PaymentCall.Result result) {
    return RESULTS.indexOf(result) + 1;
  }

  static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(Micros.instant(micros));
  }

  /** Returns a time as the database stores it; null for none. */
  static @Nullable Long micros(Optional<Instant> time) {
    return time.map(Micros::ceil).orElse(null);
  }
}
