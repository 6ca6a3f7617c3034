package dev.weir.server.cli;

import java.io.IOException;

/** Thrown if a feed as a whole cannot be read in its declared format. */
final class FeedException extends IOException {
  private static final long serialVersionUID = 1L;

  FeedException(String message) {
    super(message);
  }
}
