package dev.weir.engine.payments;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * A payment as a feed describes it. Whether accounts, currency and amount make sense is checked
 * when the feed is read.
 *
 * @param paymentId event id of the slot, workflow id and idempotency key
 * @param currency ISO 4217 code
 * @param requestedTime the wanted time; empty for now
 * @param reference text for the creditor; may be empty
 * @param configName slot configuration; empty for that of the feed
 */
public record Payment(
    String paymentId,
    BigDecimal amount,
    String currency,
    String debtorAccount,
    String creditorAccount,
    Optional<Instant> requestedTime,
    String reference,
    String configName) {
  public static final int MAX_ID_LENGTH = 200;

  public Payment {
    if (paymentId.isBlank() || paymentId.length() > MAX_ID_LENGTH) {
      throw new IllegalArgumentException(
          "paymentId must have 1 to %d characters, not %d"
              .formatted(MAX_ID_LENGTH, paymentId.length()));
    }
    if (amount.signum() <= 0) {
      throw new IllegalArgumentException("amount must be above 0, not " + amount);
    }
  }

  /** Returns this payment with a configuration, if it names none itself. */
  public Payment orConfig(String feedConfig) {
    return configName.isEmpty()
        ? new Payment(
            paymentId,
            amount,
            currency,
            debtorAccount,
            creditorAccount,
            requestedTime,
            reference,
            feedConfig)
        : this;
  }

  /** Returns true if both describe the same payment; 1.5 and 1.50 are the same amount. */
  public boolean sameContent(Payment other) {
    return paymentId.equals(other.paymentId)
        && amount.compareTo(other.amount) == 0
        && currency.equals(other.currency)
        && debtorAccount.equals(other.debtorAccount)
        && creditorAccount.equals(other.creditorAccount)
        && requestedTime.equals(other.requestedTime)
        && reference.equals(other.reference)
        && configName.equals(other.configName);
  }
}
