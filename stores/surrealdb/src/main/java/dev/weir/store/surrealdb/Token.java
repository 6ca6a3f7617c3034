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
 * @param renewAtSecond the time from which on another one is wanted
 */
record Token(String text, long expiresAtSecond, long renewAtSecond) {
  private static final Pattern EXPIRY = Pattern.compile("\"exp\"\\s*:\\s*(\\d{1,18})");

  /** What may be in a header of HTTP: visible characters of ASCII. */
  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

  /**
   * Reads the expiry of a JSON Web Token, so that it is renewed before SurrealDB rejects it.
   *
   * @param nowSecond the time at which it was issued
   * @param renewSeconds the time before its end at which it is renewed, or a quarter of its time if
   *     that is less
   * @throws IllegalArgumentException if it is no token; the message does not repeat it
   */
  static Token of(String text, long renewSeconds, long nowSecond) {
    if (!VISIBLE.matcher(text).matches()) {
      throw new IllegalArgumentException("a token has visible characters of ASCII only");
    }
    long expiry = expiry(text);
    // One that has ended by the clock of this node is used until SurrealDB rejects it.
    if (expiry <= nowSecond || expiry == Long.MAX_VALUE) {
      return new Token(text, expiry, Long.MAX_VALUE);
    }
    return new Token(text, expiry, expiry - Math.min(renewSeconds, (expiry - nowSecond) / 4));
  }

  private static long expiry(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 3) {
      return Long.MAX_VALUE;
    }
    try {
      String claims = new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8);
      Matcher expiry = EXPIRY.matcher(claims);
      return expiry.find() ? Long.parseLong(expiry.group(1)) : Long.MAX_VALUE;
    } catch (IllegalArgumentException e) {
      // Not a JSON Web Token: its end is noticed when it is rejected.
      return Long.MAX_VALUE;
    }
  }

  /** Returns true if it should be renewed. */
  boolean isDue(long nowSecond) {
    return renewAtSecond <= nowSecond;
  }

  /** Returns true if it is no longer valid by the clock of this node. */
  boolean hasEnded(long nowSecond) {
    return isRenewable() && expiresAtSecond <= nowSecond;
  }

  private boolean isRenewable() {
    return renewAtSecond != Long.MAX_VALUE;
  }

  /** Returns the same token, renewed later, because that has failed now. */
  Token renewedFrom(long second) {
    return new Token(text, expiresAtSecond, second);
  }

  /** Omits the token. */
  @Override
  public String toString() {
    return "a token until " + expiresAtSecond;
  }
}
