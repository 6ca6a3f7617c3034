package dev.weir.engine.limits;

import dev.weir.core.limits.Limit;
import java.time.Instant;

/**
 * A limit with a name, which holds for each key by itself.
 *
 * <p>Name, kind of limit and key together are what a store counts by: a policy whose numbers were
 * changed keeps what was used, a policy that became another kind of limit starts afresh.
 *
 * @param onStoreFailure what is said when the store that keeps the counts is gone
 * @param createdAt when it was first in force: a store that lost counts before that has lost none
 *     of this policy
 */
public record Policy(String name, Limit limit, OnStoreFailure onStoreFailure, Instant createdAt) {
  public Policy {
    LimitNames.require("policy", name);
  }

  /** One that may have been in force for any time. */
  public static Policy of(String name, Limit limit) {
    return new Policy(name, limit, OnStoreFailure.CLOSED, Instant.MIN);
  }

  public Policy onStoreFailure(OnStoreFailure other) {
    return new Policy(name, limit, other, createdAt);
  }

  public Policy createdAt(Instant other) {
    return new Policy(name, limit, onStoreFailure, other);
  }
}
