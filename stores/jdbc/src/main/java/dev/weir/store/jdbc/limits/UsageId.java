package dev.weir.store.jdbc.limits;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.limits.Policy;

/**
 * What a usage is kept by: kind of limit, policy and key in one text, such as {@code t3:apiuser:7}.
 *
 * <p>The policy's length, in code points, is told before it: no two of them give the same text.
 */
final class UsageId {
  private UsageId() {}

  static String of(Policy policy, String key) {
    String name = policy.name();
    return kind(policy.limit()) + name.codePointCount(0, name.length()) + ":" + name + key;
  }

  private static String kind(Limit limit) {
    return switch (limit) {
      case FixedWindow window -> "f";
      case SlidingWindow window -> "s";
      case TokenBucket bucket -> "t";
    };
  }
}
