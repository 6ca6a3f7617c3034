package dev.weir.http.authentication;

import dev.weir.http.problems.Problem;
import java.util.List;
import java.util.Optional;

/** The token in the header {@code Authorization: Bearer …}. */
public final class BearerToken {
  private static final String BEARER = "Bearer ";

  private BearerToken() {}

  /** Returns the token in a value of the header; empty if it is of another scheme. */
  public static Optional<String> of(String header) {
    return header.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(header.substring(BEARER.length()).trim())
        : Optional.empty();
  }

  /**
   * Returns the token of a request; empty if there is none, or several headers: a proxy may have
   * checked another one.
   */
  public static Optional<String> only(List<String> headers) {
    return headers.size() == 1 ? of(headers.getFirst()) : Optional.empty();
  }

  /** The answer to a request without a token. */
  public static Problem missing() {
    return Problem.of(401, "token-missing", "Send the header Authorization: Bearer with a token.");
  }
}
