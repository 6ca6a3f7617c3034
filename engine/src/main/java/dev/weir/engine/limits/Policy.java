package dev.weir.engine.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.internal.LimitNames;
import java.time.Instant;

/**
 * A named limit that applies to each key separately.
 *
 * <p>A store counts by name, kind of limit and key together: a policy whose numbers change keeps
 * its usage, a policy that becomes another kind of limit starts afresh.
 *
 * @param onStoreFailure what to do while the store that keeps the counts is unavailable
 * @param createdAt the time at which the policy came into force: a store that lost its counts
 *     earlier has lost none of this policy
 */
public record Policy(String name, Limit limit, OnStoreFailure onStoreFailure, Instant createdAt) {
  public Policy {
    LimitNames.require("policy", requireNonNull(name, "name"));
    requireNonNull(limit, "limit");
    requireNonNull(onStoreFailure, "onStoreFailure");
    requireNonNull(createdAt, "createdAt");
  }

  /** Returns a policy that may have been in force for any time. */
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
