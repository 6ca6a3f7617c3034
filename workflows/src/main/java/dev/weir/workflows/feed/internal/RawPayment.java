package dev.weir.workflows.feed.internal;

import java.util.Arrays;

/** The fields of one record before they are checked. An absent field is empty. */
final class RawPayment {
  private static final int FIELDS = FeedField.values().length;

  /** By the ordinals of the fields. */
  private final String[] values;

  RawPayment() {
    this.values = new String[FIELDS];
    Arrays.fill(values, "");
  }

  private RawPayment(String[] values) {
    this.values = values;
  }

  void put(FeedField field, String value) {
    values[field.ordinal()] = value;
  }

  String get(FeedField field) {
    return values[field.ordinal()];
  }

  RawPayment copy() {
    return new RawPayment(values.clone());
  }
}
