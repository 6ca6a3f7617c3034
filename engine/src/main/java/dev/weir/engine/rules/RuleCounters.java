package dev.weir.engine.rules;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;

/** Counts what one rule has said. Called often and by many threads: must be quick. */
@FunctionalInterface
public interface RuleCounters {
  /** Counts nothing. */
  RuleCounters NONE = kind -> {};

  void count(Kind kind);

  /** What a rule said. */
  enum Kind {
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
    public static Kind of(Outcome outcome, boolean isReplayed) {
      if (isReplayed) {
        return REPLAYED;
      }
      return switch (outcome) {
        case Decision.Allowed allowed -> ALLOWED;
        case Delayed delayed -> QUEUED;
        case Decision.Refused refused -> REFUSED;
      };
    }
  }
}
