package dev.weir.store.surrealdb;

import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;

/**
 * The reply to one step.
 *
 * @param micros when the lease expires; or the time after which enough others have
 */
record LeaseReply(String id, boolean isHeld, int current, int places, long micros) {
  LeaseDecision.Acquisition acquisition() {
    return isHeld ? held() : new LeaseDecision.Full(current, micros);
  }

  LeaseDecision.Renewal renewal() {
    return isHeld ? held() : gone();
  }

  LeaseDecision.Release release() {
    return isHeld ? held() : gone();
  }

  private LeaseDecision.Held held() {
    return new LeaseDecision.Held(new Lease(id, places, micros), current);
  }

  private LeaseDecision.Gone gone() {
    return new LeaseDecision.Gone(current);
  }
}
