package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;

/** So much of a policy, for a key. A cost that could never be granted cannot be asked. */
public record Ask<L extends Limit>(Policy<L> policy, String key, long cost) {
  public Ask {
    LimitNames.require("key", key);
    policy.limit().requireCost(cost);
  }

  public static <L extends Limit> Ask<L> of(Policy<L> policy, String key) {
    return new Ask<>(policy, key, 1);
  }
}
