package dev.weir.engine.rules;

import dev.weir.engine.limits.AcquireResult;
import java.util.Set;

/** Is told what rules decide, for metrics. Called often and by many threads: must be quick. */
public interface RuleObserver {
  /** Watches nothing. */
  RuleObserver NONE = new RuleObserver() {};

  /** These rules exist now, and no others. Called before {@link #tally} is asked about them. */
  default void rulesKnown(Set<String> names) {}

  /** Where the decisions by a rule are counted; asked again whenever rules are read. */
  default RuleCounters tally(String rule) {
    return RuleCounters.NONE;
  }

  /** A demand was decided. */
  default void decided(AcquireResult.Mode mode) {}

  /** So many requests more, or fewer, wait in queues on this node. */
  default void waiting(int more) {}
}
