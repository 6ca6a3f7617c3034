package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;

/**
 * A limit with a name, which holds for each key by itself.
 *
 * <p>Name, kind of limit and key together are what a store counts by: a policy whose numbers were
 * changed keeps what was used, a policy that became another kind of limit starts afresh.
 *
 * @param onStoreFailure what is said when the store that keeps the counts is gone
 */
public record Policy<L extends Limit>(String name, L limit, OnStoreFailure onStoreFailure) {
  public Policy {
    LimitNames.require("policy", name);
  }

  public static <L extends Limit> Policy<L> of(String name, L limit) {
    return new Policy<>(name, limit, OnStoreFailure.CLOSED);
  }

  public Policy<L> onStoreFailure(OnStoreFailure other) {
    return new Policy<>(name, limit, other);
  }
}
