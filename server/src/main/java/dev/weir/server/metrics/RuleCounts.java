package dev.weir.server.metrics;

import java.util.HashMap;
import java.util.Map;

/**
 * What rules decided.
 *
 * @param own the decisions of each rule that is counted by itself
 * @param shared the decisions of all others together
 */
public record RuleCounts(Map<String, DecisionCounts> own, DecisionCounts shared) {
  public static final RuleCounts NONE = new RuleCounts(Map.of(), new DecisionCounts());

  /** Returns what was added since an earlier reading. */
  public RuleCounts since(RuleCounts earlier) {
    Map<String, DecisionCounts> differences = new HashMap<>();
    own.forEach(
        (rule, now) ->
            differences.put(rule, now.since(earlier.own.getOrDefault(rule, new DecisionCounts()))));
    return new RuleCounts(differences, shared.since(earlier.shared));
  }
}
