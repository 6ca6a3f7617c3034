package dev.weir.server.rest;

import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;

/** The version that a caller knows of what it changes, from the header {@code If-Match}. */
final class IfMatch {
  /** Whichever it is. */
  static final int ANY = 0;

  /** A version that nothing has. */
  private static final int NONE = -1;

  private IfMatch() {}

  /** {@link #ANY} without the header; a version that nothing has if it is none of ours. */
  static int version(HttpRequest<?> request) {
    String tag = request.getHeaders().get(HttpHeaders.IF_MATCH);
    if (tag == null || tag.strip().equals("*")) {
      return ANY;
    }
    String stripped = tag.strip();
    if (stripped.matches("\"[1-9][0-9]{0,8}\"")) {
      return Integer.parseInt(stripped.substring(1, stripped.length() - 1));
    }
    return NONE;
  }
}
