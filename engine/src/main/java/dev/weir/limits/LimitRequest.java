package dev.weir.limits;

import dev.weir.internal.LimitNames;

/**
 * A request for {@code cost} units of a policy for a key. A cost that could never be granted is
 * rejected.
 */
public record LimitRequest(Policy policy, String key, long cost) {
  public LimitRequest {
    LimitNames.require("key", key);
    policy.limit().requireCost(cost);
  }

  /** Returns a request for one unit. */
  public static LimitRequest of(Policy policy, String key) {
    return new LimitRequest(policy, key, 1);
  }
}
