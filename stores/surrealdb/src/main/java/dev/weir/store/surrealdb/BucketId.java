package dev.weir.store.surrealdb;

import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import dev.weir.limits.Policy;

/**
 * The id of a token bucket: policy and key in one text, for example {@code 3:apiuser:7}.
 *
 * <p>The policy's name is preceded by its length, so that the text is unambiguous.
 */
final class BucketId {
  private BucketId() {}

  static String of(Policy policy, String key) {
    return first(policy) + key;
  }

  /** Returns a text that the ids of a policy follow, in the order of SurrealDB. */
  static String first(Policy policy) {
    return policy.name().length() + ":" + policy.name();
  }

  /** Returns a text that follows the ids of a policy, in the order of SurrealDB. */
  static String last(Policy policy) {
    // A key may begin with the last code point, but has fewer than this many.
    return first(policy)
        + Character.toString(Character.MAX_CODE_POINT).repeat(LimitNames.MAX_LENGTH);
  }

  /** Returns the key of a bucket of a policy. */
  static String key(Policy policy, String id) {
    return id.substring(first(policy).length());
  }

  /**
   * Returns the time since which a policy may have been used: a loss before it cannot affect the
   * policy's buckets. Policies that prefer to allow too much over refusing ignore losses.
   */
  static long usedSinceMicros(Policy policy) {
    return switch (policy.onStoreFailure()) {
      case CLOSED, FALLBACK -> policy.createdAtMicros();
      case LOCAL, OPEN -> Micros.LATEST;
    };
  }
}
