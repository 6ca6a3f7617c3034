package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;

/** The requested time of an event, and the time at which the request is made. */
public record PlacementRequest(long requestedMicros, long nowMicros) {
  /**
   * Returns the span within which the event may run: from the requested time to the maximum delay.
   */
  TimeSpan allowed(SlotPolicy policy) {
    long base =
        switch (policy.notBefore()) {
          case REQUESTED -> requestedMicros;
          case NOW -> Math.max(requestedMicros, nowMicros);
        };
    long maxDelay = PolicyTimes.maxDelayMicros(policy);
    long latest = maxDelay < Micros.LATEST - base ? base + maxDelay : Micros.LATEST;
    return new TimeSpan(Math.max(base, PolicyTimes.pausedUntilMicros(policy)), latest + 1);
  }
}
