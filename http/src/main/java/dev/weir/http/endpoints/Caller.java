package dev.weir.http.endpoints;

import io.micronaut.http.HttpRequest;

/** The name of the caller of a request, if known, for the change history. */
public final class Caller {
  /**
   * A caller with the configured admin token or a client key; callers that share it are
   * indistinguishable.
   */
  public static final String OWN_TOKEN = "token";

  private static final String ATTRIBUTE = "weir.caller";
  private static final String UNKNOWN = "anonymous";

  private Caller() {}

  public static String of(HttpRequest<?> request) {
    return request.getAttribute(ATTRIBUTE, String.class).orElse(UNKNOWN);
  }

  /** Stores the name of the caller once it is known. */
  public static void set(HttpRequest<?> request, String name) {
    request.setAttribute(ATTRIBUTE, name);
  }
}
