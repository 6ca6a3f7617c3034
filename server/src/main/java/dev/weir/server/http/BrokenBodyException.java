package dev.weir.server.http;

import java.io.IOException;

/** A body breaks off in the middle of what its headers say. */
final class BrokenBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  BrokenBodyException(String message, Throwable cause) {
    super(message, cause);
  }
}
