package dev.weir.payments.feed.internal;

import java.util.Locale;
import java.util.Optional;

/** The format of a feed of payments. Either may be compressed with gzip. */
public enum FeedFormat {
  CSV,
  NDJSON;

  /** Returns the format that a file name implies, with or without {@code .gz}; empty if none. */
  public static Optional<FeedFormat> ofFileName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    String plain = lower.endsWith(".gz") ? lower.substring(0, lower.length() - 3) : lower;
    if (plain.endsWith(".csv")) {
      return Optional.of(CSV);
    }
    return plain.endsWith(".ndjson") || plain.endsWith(".jsonl")
        ? Optional.of(NDJSON)
        : Optional.empty();
  }
}
