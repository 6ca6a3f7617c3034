package dev.weir.engine.limits;

import java.time.Instant;

/**
 * A rule as it is kept: a policy that callers name, and whether it is in force.
 *
 * @param version goes up with each change; a change names the version that it knows
 */
public record Rule(long id, int version, Terms terms, Instant createdAt, Instant updatedAt) {
  public String name() {
    return terms.policy().name();
  }

  /** What somebody says that a rule be. A rule that is not active lets everything pass. */
  public record Terms(Policy<?> policy, boolean isActive) {}
}
