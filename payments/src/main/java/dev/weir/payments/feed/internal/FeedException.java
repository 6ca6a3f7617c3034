package dev.weir.payments.feed.internal;

import java.io.IOException;

/** Thrown if a feed as a whole cannot be read, so that none of its payments should be made. */
public final class FeedException extends IOException {
  private static final long serialVersionUID = 1L;

  FeedException(String message) {
    super(message);
  }
}
