package dev.weir.rules;

import dev.weir.limits.AcquireResult;
import java.util.Set;

/**
 * Receives the decisions of rules, for metrics. Called frequently and by many threads, so it must
 * be quick.
 */
public interface RuleObserver {
  /** An observer that does nothing. */
  RuleObserver NONE = new RuleObserver() {};

  /** Called with the names of all existing rules, before {@link #counters} is called for them. */
  default void rulesKnown(Set<String> names) {}

  /** Returns the counters for the decisions of a rule; called again whenever rules are read. */
  default RuleCounters counters(String rule) {
    return RuleCounters.NONE;
  }

  /** Called when a request was decided. */
  default void decided(AcquireResult.Mode mode) {}

  /** Called with the change in the number of requests that wait in queues on this node. */
  default void waiting(int change) {}
}
