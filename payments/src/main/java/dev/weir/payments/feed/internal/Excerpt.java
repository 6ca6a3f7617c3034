package dev.weir.payments.feed.internal;

import java.nio.charset.StandardCharsets;

/** The beginning of received text, safe to store and to show. */
final class Excerpt {
  private static final int MAX_SHOWN = 200;
  private static final int MAX_RECORD = 2_000;

  private Excerpt() {}

  /** Returns a part of a message. */
  static String of(String text) {
    return cut(text, MAX_SHOWN);
  }

  /** Returns a rejected record. */
  static String ofRecord(String record) {
    return cut(record, MAX_RECORD);
  }

  private static String cut(String text, int maxLength) {
    String begin = text.length() <= maxLength ? text : text.substring(0, maxLength) + "…";
    // Databases store neither NUL nor half a surrogate pair, received as such or cut off here.
    return new String(begin.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .replace('\0', '\uFFFD');
  }
}
