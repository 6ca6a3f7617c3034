package dev.weir.engine.limits;

import dev.weir.core.limits.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What a store says to a demand.
 *
 * @param decisions one for each ask, in order. If the whole is refused, those that would have been
 *     granted are {@link Decision.Allowed} with what remains, untouched
 * @param decidedAt by the store's clock; a refund names it
 * @param mode who decided
 * @param isReplayed whether the demand had been granted before and took nothing this time
 */
public record Answer(List<Decision> decisions, Instant decidedAt, Mode mode, boolean isReplayed) {
  /** Who decided. */
  public enum Mode {
    /** The store that keeps the counts. */
    STORE,
    /** Nobody: the store is gone and the policy lets pass. */
    OPEN,
    /** Nobody: the store is gone and the policy refuses. */
    CLOSED,
    /** This node by itself, with its share. */
    LOCAL,
    /** The next store. */
    FALLBACK
  }

  public Answer {
    decisions = List.copyOf(decisions);
  }

  /** Whether all of it was granted. */
  public boolean isAllowed() {
    for (Decision decision : decisions) {
      if (!decision.isAllowed()) {
        return false;
      }
    }
    return true;
  }

  /** The shortest time after which the same demand is allowed; zero if it was. */
  public Duration retryAfter() {
    Duration longest = Duration.ZERO;
    for (Decision decision : decisions) {
      if (decision instanceof Decision.Refused refused
          && refused.retryAfter().compareTo(longest) > 0) {
        longest = refused.retryAfter();
      }
    }
    return longest;
  }
}
