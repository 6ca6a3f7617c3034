package dev.weir.server.cli;

import java.io.IOException;

/** Says that a feed as a whole cannot be read as what it is said to be. */
final class FeedException extends IOException {
  private static final long serialVersionUID = 1L;

  FeedException(String message) {
    super(message);
  }
}
