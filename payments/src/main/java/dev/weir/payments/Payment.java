package dev.weir.payments;

import dev.weir.internal.Micros;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A payment as a feed describes it. Whether accounts, currency and amount make sense is checked
 * when the feed is read.
 *
 * @param paymentId event id of the slot, the end of the workflow id, and idempotency key
 * @param currency ISO 4217 code
 * @param requestedTime the wanted time, rounded up to microseconds; empty for now
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

  /** No payment id starts with this: it marks the workflows of feeds, which share their names. */
  public static final String RESERVED_PREFIX = "weir-feed:";

  /** No payment has this id: its address would be that of the list of feeds. */
  public static final String RESERVED_ID = "feeds";

  public Payment {
    if (paymentId.isBlank() || paymentId.length() > MAX_ID_LENGTH) {
      throw new IllegalArgumentException(
          "paymentId must have 1 to %d characters, not %d"
              .formatted(MAX_ID_LENGTH, paymentId.length()));
    }
    if (paymentId.startsWith(RESERVED_PREFIX)) {
      throw new IllegalArgumentException("paymentId must not start with " + RESERVED_PREFIX);
    }
    if (paymentId.equals(RESERVED_ID)) {
      throw new IllegalArgumentException("paymentId must not be " + RESERVED_ID);
    }
    if (amount.signum() <= 0) {
      throw new IllegalArgumentException("amount must be above 0, not " + amount);
    }
    // As stores keep it, so that a repeated payment is recognized.
    requestedTime = requestedTime.map(Payment::stored);
  }

  private static Instant stored(Instant time) {
    if (!Micros.inRange(time)) {
      throw new IllegalArgumentException(
          "requestedTime must be from year 1 to year 9999, not " + time);
    }
    return Micros.instant(Micros.ceil(time));
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
    return paymentId.equals(other.paymentId) && differences(other).isEmpty();
  }

  /** Returns the names of the fields in which another payment differs, other than its id. */
  public List<String> differences(Payment other) {
    List<String> names = new ArrayList<>();
    if (amount.compareTo(other.amount) != 0) {
      names.add("amount");
    }
    addIfDifferent(names, "currency", currency, other.currency);
    addIfDifferent(names, "debtorAccount", debtorAccount, other.debtorAccount);
    addIfDifferent(names, "creditorAccount", creditorAccount, other.creditorAccount);
    addIfDifferent(names, "requestedTime", requestedTime, other.requestedTime);
    addIfDifferent(names, "reference", reference, other.reference);
    addIfDifferent(names, "configName", configName, other.configName);
    return names;
  }

  /** Returns the payment as a record of a CSV feed, with the fields in the order of this type. */
  public String toRecord() {
    return Stream.of(
            paymentId,
            amount.toPlainString(),
            currency,
            debtorAccount,
            creditorAccount,
            requestedTime.map(Instant::toString).orElse(""),
            reference,
            configName)
        .map(Payment::quoted)
        .collect(Collectors.joining(","));
  }

  private static String quoted(String field) {
    boolean isPlain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return isPlain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }

  private static void addIfDifferent(
      List<String> names, String name, Object value, Object otherValue) {
    if (!value.equals(otherValue)) {
      names.add(name);
    }
  }
}
