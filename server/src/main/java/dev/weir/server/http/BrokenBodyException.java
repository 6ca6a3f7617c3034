package dev.weir.server.http;

import java.io.IOException;

/** Thrown if a body is not chunked or compressed as its headers declare. */
final class BrokenBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  BrokenBodyException(String message, Throwable cause) {
    super(message, cause);
  }
}
