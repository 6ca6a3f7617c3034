package dev.weir.engine.rules;

import dev.weir.core.limits.Decision;

/** Counts what one rule has said. Called often and by many threads: must be quick. */
@FunctionalInterface
public interface RuleCounters {
  /** Counts nothing. */
  RuleCounters NONE = outcome -> {};

  void count(Outcome outcome);

  /** What a rule said. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** It may pass after a wait. */
    QUEUED,
    /** Asked again by the id of a request, and nothing was taken. */
    REPLAYED,
    /** Of a rule in the shadow: it would have let pass. */
    SHADOW_ALLOWED,
    /** Of a rule in the shadow: it would have refused, or let wait. */
    SHADOW_REFUSED;

    /** What a rule said whose word counts. */
    public static Outcome of(Decision decision, boolean isReplayed) {
      if (isReplayed) {
        return REPLAYED;
      }
      return switch (decision) {
        case Decision.Allowed allowed -> ALLOWED;
        case Decision.Delayed delayed -> QUEUED;
        case Decision.Refused refused -> REFUSED;
      };
    }
  }
}
