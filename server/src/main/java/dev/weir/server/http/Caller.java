package dev.weir.server.http;

import io.micronaut.http.HttpRequest;

/** Who calls, as far as is known, for the record of changes. */
final class Caller {
  /** Who shows the token of administrators, or the key of a client: any of those who have it. */
  static final String OWN_TOKEN = "token";

  private static final String ATTRIBUTE = "weir.caller";
  private static final String UNKNOWN = "anonymous";

  private Caller() {}

  static String of(HttpRequest<?> request) {
    return request.getAttribute(ATTRIBUTE, String.class).orElse(UNKNOWN);
  }

  /** Remembers who it is, once that is known. */
  static void set(HttpRequest<?> request, String name) {
    request.setAttribute(ATTRIBUTE, name);
  }
}
