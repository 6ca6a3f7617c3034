package dev.weir.engine.rules;

import dev.weir.engine.limits.RequestDigest;
import java.util.List;

/** So much of a rule, for a key. */
public record RuleCheck(LimitedRule rule, String key, long cost) {
  /** Identifies a request by all that it asks, of rules that are not active as well. */
  public static RequestDigest digest(List<RuleCheck> request) {
    return RequestDigest.of(
        request.stream()
            .map(asked -> new RequestDigest.Part(asked.rule().name(), asked.key(), asked.cost()))
            .toList());
  }
}
