package dev.weir.store.jdbc.payments;

import dev.weir.core.internal.Micros;
import dev.weir.engine.payments.Payment;
import dev.weir.engine.payments.PaymentState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The columns of a payment. */
final class PaymentRow {
  /** The columns that {@link #payment} reads, of the table or alias {@code p}. */
  static final String CONTENT =
      "p.payment_id, p.amount, p.currency, p.debtor_account, p.creditor_account, p.requested,"
          + " p.reference, p.config_name";

  /** The number of {@link PaymentState#SCHEDULED}. */
  static final int SCHEDULED = 1;

  /** In the order of their numbers. */
  private static final List<PaymentState> STATES = List.of(PaymentState.values());

  private PaymentRow() {}

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

  static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(Micros.instant(micros));
  }

  /** Returns a time as the database stores it; null for none. */
  static @Nullable Long micros(Optional<Instant> time) {
    return time.map(Micros::ceil).orElse(null);
  }
}
