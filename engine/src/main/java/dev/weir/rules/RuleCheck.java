package dev.weir.rules;

import dev.weir.internal.LimitNames;
import dev.weir.limits.RequestDigest;
import java.util.List;

/** A check of a rule for {@code cost} units and a key. */
public record RuleCheck(LimitedRule rule, String key, long cost) {
  /** Returns the digest of all checks of a request, including those of inactive rules. */
  public static RequestDigest digest(List<RuleCheck> checks) {
    return RequestDigest.of(
        checks.stream()
            .map(check -> new RequestDigest.Part(check.rule().name(), check.key(), check.cost()))
            .toList());
  }

  /** Returns the resource of the leases that the rule grants to the key. */
  public String leaseResource() {
    return LimitNames.resource("rule", rule.name(), key);
  }

  /** Counts a decision about this check. */
  public void count(RuleCounters.Kind kind) {
    rule.counters().count(kind);
    if (kind == RuleCounters.Kind.REFUSED || kind == RuleCounters.Kind.SHADOW_REFUSED) {
      rule.counters().refused(this);
    }
  }

  /** Returns the resource of the queue in which requests with the key wait for the rule. */
  String queueResource() {
    return LimitNames.resource("queue", rule.name(), key);
  }
}
