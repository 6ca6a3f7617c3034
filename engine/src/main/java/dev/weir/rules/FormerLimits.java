package dev.weir.rules;

import dev.weir.limits.Policy;
import dev.weir.register.EntryVersion;
import dev.weir.rules.spec.Quota;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Derives the policy of a rule, with what its former versions may have counted. */
final class FormerLimits {
  private FormerLimits() {}

  /**
   * Returns the policy of a rule.
   *
   * @param versions of the rule, the newest first
   */
  static Policy policy(Rule rule, Quota.Rate rate, List<EntryVersion<Rule>> versions) {
    @Nullable Policy policy = null;
    // The oldest version that is known may not be the first.
    Instant since = rule.createdAt();
    for (int i = versions.size() - 1; i >= 0; i--) {
      Rule former = versions.get(i).entry();
      if (former.version() >= rule.version()) {
        continue;
      }
      policy =
          switch (former.spec().quota()) {
            case Quota.Rate counted -> next(policy, former, counted, since);
            case Quota.Concurrent concurrent -> null;
          };
      since = i == 0 ? rule.updatedAt() : versions.get(i - 1).entry().updatedAt();
    }
    return next(policy, rule, rate, since);
  }

  /** A rule that counts under another name starts afresh. */
  private static Policy next(@Nullable Policy former, Rule rule, Quota.Rate rate, Instant since) {
    return former == null || !former.name().equals(rule.name())
        ? created(rule, rate, since)
        : former.changed(rate.limit(), since).onStoreFailure(rule.spec().onStoreFailure());
  }

  private static Policy created(Rule rule, Quota.Rate rate, Instant since) {
    return new Policy(rule.name(), rate.limit(), rule.spec().onStoreFailure(), since);
  }
}
