package dev.weir.payments.feed.internal;

import java.util.EnumMap;
import java.util.Map;

/** The fields of one record before they are checked. An absent field is empty. */
final class RawPayment {
  private final Map<FeedField, String> values = new EnumMap<>(FeedField.class);

  void put(FeedField field, String value) {
    values.put(field, value);
  }

  String get(FeedField field) {
    return values.getOrDefault(field, "");
  }

  RawPayment copy() {
    RawPayment copy = new RawPayment();
    copy.values.putAll(values);
    return copy;
  }
}
