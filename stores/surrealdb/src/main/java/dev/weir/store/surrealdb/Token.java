package dev.weir.store.surrealdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A token of a user that has signed in.
 *
 * @param text the token as it is sent
 * @param expiresAtSecond the end of its validity, in seconds since the epoch; {@code
 *     Long.MAX_VALUE} if it has none
 */
record Token(String text, long expiresAtSecond) {
  private static final Pattern EXPIRY = Pattern.compile("\"exp\"\\s*:\\s*(\\d{1,18})");

  /** Reads the expiry of a JSON Web Token, so that it is renewed before SurrealDB rejects it. */
  static Token of(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 3) {
      return new Token(text, Long.MAX_VALUE);
    }
    try {
      String claims = new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8);
      Matcher expiry = EXPIRY.matcher(claims);
      return new Token(text, expiry.find() ? Long.parseLong(expiry.group(1)) : Long.MAX_VALUE);
    } catch (IllegalArgumentException e) {
      // Not a JSON Web Token: its end is noticed when it is rejected.
      return new Token(text, Long.MAX_VALUE);
    }
  }

  /** Returns true if it is valid for less than another {@code seconds}. */
  boolean endsWithin(long seconds, long nowSecond) {
    return expiresAtSecond - seconds <= nowSecond;
  }

  /** Omits the token. */
  @Override
  public String toString() {
    return "a token until " + expiresAtSecond;
  }
}
