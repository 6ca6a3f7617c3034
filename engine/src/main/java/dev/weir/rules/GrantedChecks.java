package dev.weir.rules;

import dev.weir.limits.AcquireResult;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that were granted, as the caller describes them that wants them refunded.
 *
 * @param checks the checks that were decided together
 * @param waited those that passed through a queue, and took nothing from their limit. Not needed
 *     with a request id, whose record says so
 * @param repeat the request id
 * @param decidedAt when they were decided; not needed with a request id
 * @param mode what decided
 */
public record GrantedChecks(
    List<RuleCheck> checks,
    Set<RuleCheck> waited,
    RuleEvaluator.Repeat repeat,
    Optional<Instant> decidedAt,
    AcquireResult.Mode mode) {
  public GrantedChecks {
    checks = List.copyOf(checks);
    waited = Set.copyOf(waited);
  }

  /**
   * Returns the checks that a refund names to the store. What a rule in shadow mode has counted is
   * not given back: it may have refused, and only it knows.
   */
  List<RuleCheck> taken() {
    boolean hasId = !repeat.requestId().isEmpty();
    return checks.stream()
        .filter(check -> check.rule().isActive() && !check.rule().isShadow())
        .filter(check -> hasId || !waited.contains(check))
        .toList();
  }
}
