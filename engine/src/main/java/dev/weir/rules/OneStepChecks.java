package dev.weir.rules;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.LimitStore;
import dev.weir.limits.RequestBinding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that are one step of the store that counts: of rules without leases, queues or shadow.
 * They are most checks, and need none of the state that an {@link Evaluation} keeps to give back
 * what it took.
 */
final class OneStepChecks {
  private final LimitStore counts;
  private final RuleObserver observer;

  OneStepChecks(LimitStore counts, RuleObserver observer) {
    this.counts = counts;
    this.observer = observer;
  }

  static boolean isOneStep(List<RuleCheck> checks) {
    for (RuleCheck check : checks) {
      if (check.rule().isShadow()
          || !(check.rule().kind() instanceof LimitedRule.Counted counted)
          || counted.queue().isPresent()) {
        return false;
      }
    }
    return true;
  }

  Verdict decide(List<RuleCheck> checks, RequestBinding binding) {
    Optional<AcquireRequest> request = request(checks, binding);
    if (request.isEmpty()) {
      return passed(List.of(), AcquireResult.Mode.STORE, Optional.empty(), false);
    }
    AcquireResult result = counts.decide(request.get());
    if (result.isReused()) {
      return new Verdict.Reused(result.decidedAt());
    }
    observer.decided(result.mode());
    List<RuleResult> results = results(checks, result);
    for (RuleResult each : results) {
      each.check().count(RuleCounters.Kind.of(each.outcome(), result.isReplayed()));
    }
    Optional<Instant> decidedAt = Optional.of(result.decidedAt());
    return result.isAllowed()
        ? passed(results, result.mode(), decidedAt, result.isReplayed())
        : new Verdict.Refused(results, result.mode(), decidedAt, result.isOutcomeUnknown());
  }

  Verdict.Decided preview(List<RuleCheck> checks) {
    Optional<AcquireRequest> request = request(checks, RequestBinding.NONE);
    if (request.isEmpty()) {
      return passed(List.of(), AcquireResult.Mode.STORE, Optional.empty(), false);
    }
    AcquireResult result = counts.peek(request.get());
    return preview(results(checks, result), result.mode(), Optional.of(result.decidedAt()));
  }

  static Verdict.Decided preview(
      List<RuleResult> results, AcquireResult.Mode mode, Optional<Instant> decidedAt) {
    Verdict.Refused refused = new Verdict.Refused(results, mode, decidedAt);
    return refused.violated().isEmpty() ? passed(results, mode, decidedAt, false) : refused;
  }

  private static Verdict.Decided passed(
      List<RuleResult> results,
      AcquireResult.Mode mode,
      Optional<Instant> decidedAt,
      boolean isReplayed) {
    return new Verdict.Passed(results, mode, decidedAt, Ticket.NONE, isReplayed);
  }

  /** Empty if no rule is active. */
  private static Optional<AcquireRequest> request(List<RuleCheck> checks, RequestBinding binding) {
    List<LimitRequest> limits = new ArrayList<>(checks.size());
    for (RuleCheck check : checks) {
      if (check.rule().isActive() && check.rule().kind() instanceof LimitedRule.Counted counted) {
        limits.add(new LimitRequest(counted.policy(), check.key(), check.cost()));
      }
    }
    return limits.isEmpty()
        ? Optional.empty()
        : Optional.of(new AcquireRequest(limits, Map.of(), binding));
  }

  private static List<RuleResult> results(List<RuleCheck> checks, AcquireResult result) {
    List<RuleResult> results = new ArrayList<>(result.outcomes().size());
    for (RuleCheck check : checks) {
      // There are no outcomes if the request is repeated after its rules have changed.
      if (check.rule().isActive() && !result.outcomes().isEmpty()) {
        results.add(new RuleResult(check, result.outcomes().get(results.size())));
      }
    }
    return results;
  }
}
