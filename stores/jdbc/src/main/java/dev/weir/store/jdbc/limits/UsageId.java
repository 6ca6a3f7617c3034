package dev.weir.store.jdbc.limits;

import dev.weir.internal.LimitNames;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;

/**
 * The primary key of a usage: kind of limit, policy and key in one text, for example {@code
 * t3:apiuser:7}.
 *
 * <p>The policy's name is preceded by its length in code points, so that the text is unambiguous.
 */
final class UsageId {
  private UsageId() {}

  static String of(Policy policy, String key) {
    return first(policy) + key;
  }

  /** Returns a text that the ids of a policy follow, in the order of the database. */
  static String first(Policy policy) {
    String name = policy.name();
    return kind(policy.limit()) + name.codePointCount(0, name.length()) + ":" + name;
  }

  /** Returns a text that follows the ids of a policy, in the order of the database. */
  static String last(Policy policy) {
    // A key may begin with the last code point, but has fewer than this many.
    return first(policy)
        + Character.toString(Character.MAX_CODE_POINT).repeat(LimitNames.MAX_LENGTH);
  }

  /**
   * Returns the primary key of a usage in Oracle, for example {@code t3:api:user7}. The colon
   * before the key bounds the ids of a policy whatever the order of characters is.
   */
  static String inOracle(Policy policy, String key) {
    return beforeInOracle(policy) + key;
  }

  /** Returns the text that the ids of a policy begin with in Oracle. */
  static String beforeInOracle(Policy policy) {
    return first(policy) + ":";
  }

  /** Returns a text that follows the ids of a policy in Oracle: the next character is its last. */
  static String afterInOracle(Policy policy) {
    return first(policy) + ";";
  }

  private static String kind(Limit limit) {
    return switch (limit) {
      case FixedWindow window -> "f";
      case SlidingWindow window -> "s";
      case TokenBucket bucket -> "t";
    };
  }
}
