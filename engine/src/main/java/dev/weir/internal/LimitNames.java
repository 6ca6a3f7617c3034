package dev.weir.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Validation of the names, keys and ids of limits: 1 to 255 characters that every store can keep.
 */
public final class LimitNames {
  public static final int MAX_LENGTH = 255;

  private LimitNames() {}

  /** Returns what is wrong with a name, a key or an id; empty if it is valid. */
  public static Optional<String> problem(String value) {
    return problem(value, MAX_LENGTH);
  }

  /**
   * Returns what is wrong with a name of up to {@code maxLength} characters; empty if it is valid.
   */
  public static Optional<String> problem(String value, int maxLength) {
    if (value.isEmpty() || value.length() > maxLength) {
      return Optional.of(
          "must have 1 to %d characters, not %d".formatted(maxLength, value.length()));
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

  /**
   * Returns a valid name for a value that is too long or otherwise invalid. Different values have
   * different digests.
   */
  public static String digest(String value) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(value.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Returns the name of the resource that belongs to a policy and a key, such as their queue. */
  public static String resource(String kind, String policy, String key) {
    // The length shows where the policy ends and the key begins.
    return kind + ":" + digest(policy.length() + ":" + policy + key);
  }

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if it is invalid, naming {@code field}
   */
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
