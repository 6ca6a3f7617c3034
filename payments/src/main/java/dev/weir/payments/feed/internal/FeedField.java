package dev.weir.payments.feed.internal;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A field of a payment in a feed, in both formats. */
enum FeedField {
  PAYMENT_ID("paymentId", true),
  AMOUNT("amount", true),
  CURRENCY("currency", true),
  DEBTOR_ACCOUNT("debtorAccount", true),
  CREDITOR_ACCOUNT("creditorAccount", true),
  REQUESTED_TIME("requestedTime", false),
  REFERENCE("reference", false),
  CONFIG_NAME("configName", false);

  private final String text;
  private final boolean required;

  FeedField(String text, boolean required) {
    this.text = text;
    this.required = required;
  }

  /** Returns the name of the column or member. */
  String text() {
    return text;
  }

  /** Returns true if a feed without this field has no payments. */
  boolean isRequired() {
    return required;
  }

  /** Returns the names of all fields, for a message. */
  static String names() {
    return Arrays.stream(values()).map(FeedField::text).collect(Collectors.joining(", "));
  }
}
