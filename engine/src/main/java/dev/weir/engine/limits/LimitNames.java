package dev.weir.engine.limits;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** What names, keys and ids of limits may be: 1 to 255 characters that a store can keep. */
public final class LimitNames {
  public static final int LONGEST = 255;

  private LimitNames() {}

  /** What is wrong with a name, a key or an id, if anything. */
  public static Optional<String> problem(String value) {
    return problem(value, LONGEST);
  }

  /** What is wrong with a name that may have at most so many characters, if anything. */
  public static Optional<String> problem(String value, int longest) {
    if (value.isEmpty() || value.length() > longest) {
      return Optional.of("must have 1 to %d characters, not %d".formatted(longest, value.length()));
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == 0) {
        return Optional.of("must not contain NUL");
      }
      if (Character.isSurrogate(c) && isLoneSurrogate(value, i)) {
        return Optional.of("must be well-formed Unicode");
      }
    }
    return Optional.empty();
  }

  /** A name for what is too long, or not fit, to be one: different ones stay different. */
  public static String digest(String value) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(value.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The resource under which something of a policy and a key is held, such as its queue. */
  public static String resource(String kind, String policy, String key) {
    // The length tells where the one ends and the other begins.
    return kind + ":" + digest(policy.length() + ":" + policy + key);
  }

  public static void require(String field, String value) {
    Optional<String> problem = problem(value);
    if (problem.isPresent()) {
      throw new IllegalArgumentException(field + " " + problem.get());
    }
  }

  private static boolean isLoneSurrogate(String value, int i) {
    char c = value.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(value.charAt(i - 1));
  }
}
