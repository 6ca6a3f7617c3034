package dev.weir.store.jdbc.limits;

import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;

/**
 * The reply to one step.
 *
 * @param micros when the lease expires; or the time after which enough others have
 */
record LeaseReply(String id, boolean isHeld, int current, int places, long micros) {
  /** Returns the decision about a step that may grant a lease, or about one that may not. */
  LeaseDecision decision(boolean mayGrant) {
    if (isHeld) {
      return new LeaseDecision.Held(new Lease(id, places, micros), current);
    }
    return mayGrant ? new LeaseDecision.Full(current, micros) : new LeaseDecision.Gone(current);
  }
}
