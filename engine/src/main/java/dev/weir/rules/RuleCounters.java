package dev.weir.rules;

import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;

/** Counts the decisions of one rule. Called frequently and by many threads, so it must be quick. */
@FunctionalInterface
public interface RuleCounters {
  /** Counts nothing. */
  RuleCounters NONE = kind -> {};

  void count(Kind kind);

  /**
   * Called after {@link #count} with a check that the rule refused, or would have refused or
   * delayed if it were not in shadow mode. Never called for what is allowed.
   */
  default void refused(RuleCheck check) {}

  /** The kind of a decision. */
  enum Kind {
    ALLOWED,
    REFUSED,
    /** The caller may proceed after a wait. */
    QUEUED,
    /** The request was repeated with its request id, and nothing was taken. */
    REPLAYED,
    /** A rule in shadow mode would have allowed the request. */
    SHADOW_ALLOWED,
    /** A rule in shadow mode would have refused or delayed the request. */
    SHADOW_REFUSED,
    /** A rule in shadow mode could not be evaluated, because its store is unavailable or full. */
    SHADOW_UNDECIDED;

    /** Returns the kind of a decision of a rule that is enforced. */
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
