package dev.weir.payments.feed.internal;

/** A way in which a line of a made feed is wrong, or repeats an earlier one. */
public enum FeedFlaw {
  NO_ID(FeedField.PAYMENT_ID, ""),
  LONG_ID(FeedField.PAYMENT_ID, "x".repeat(201)),
  RESERVED_ID(FeedField.PAYMENT_ID, "weir-feed:1"),
  NO_AMOUNT(FeedField.AMOUNT, ""),
  ZERO_AMOUNT(FeedField.AMOUNT, "0.00"),
  NEGATIVE_AMOUNT(FeedField.AMOUNT, "-12.50"),
  AMOUNT_IN_WORDS(FeedField.AMOUNT, "twelve"),
  AMOUNT_WITH_EXPONENT(FeedField.AMOUNT, "1e3"),
  AMOUNT_OF_FOUR_DECIMALS(FeedField.AMOUNT, "12.5055"),
  UNKNOWN_CURRENCY(FeedField.CURRENCY, "EUX"),
  NO_DEBTOR(FeedField.DEBTOR_ACCOUNT, ""),
  LONG_CREDITOR(FeedField.CREDITOR_ACCOUNT, "7".repeat(35)),
  MISTYPED_IBAN(FeedField.CREDITOR_ACCOUNT, "DE89370400440532013001"),
  TIME_WITHOUT_OFFSET(FeedField.REQUESTED_TIME, "2026-06-01T12:00:00"),
  IMPOSSIBLE_TIME(FeedField.REQUESTED_TIME, "2026-02-30T12:00:00Z"),
  LONG_REFERENCE(FeedField.REFERENCE, "r".repeat(141)),
  BAD_CONFIG_NAME(FeedField.CONFIG_NAME, "no such name!"),
  CONTROL_CHARACTER(FeedField.REFERENCE, "a\u0007b"),
  /** The line is not a record of its format. */
  MALFORMED(FeedField.REFERENCE, ""),
  /** An earlier payment again, with the same content: skipped, not rejected. */
  REPEATED(FeedField.REFERENCE, ""),
  /** An earlier payment again, with another amount. */
  CHANGED(FeedField.AMOUNT, "5001");

  private final FeedField field;
  private final String value;

  FeedFlaw(FeedField field, String value) {
    this.field = field;
    this.value = value;
  }

  /** Returns true if the line can be rejected without knowing any other line. */
  public boolean isInTheLine() {
    return this != REPEATED && this != CHANGED;
  }

  /** Makes a payment wrong in this way. */
  void spoil(RawPayment payment) {
    if (this != MALFORMED && this != REPEATED) {
      payment.put(field, value);
    }
  }
}
