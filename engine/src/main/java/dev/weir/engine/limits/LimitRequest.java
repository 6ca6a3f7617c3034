package dev.weir.engine.limits;

/** So much of a policy, for a key. A cost that could never be granted cannot be asked. */
public record LimitRequest(Policy policy, String key, long cost) {
  public LimitRequest {
    LimitNames.require("key", key);
    policy.limit().requireCost(cost);
  }

  public static LimitRequest of(Policy policy, String key) {
    return new LimitRequest(policy, key, 1);
  }
}
