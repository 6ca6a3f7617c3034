package dev.weir.slots.planning.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Calendar;
import dev.weir.slots.SlotPolicy;

/** The requested time of an event, and the time at which the request is made. */
public record PlacementRequest(long requestedMicros, long nowMicros) {
  /**
   * Returns the span within which the event may run: from the requested time to the maximum delay.
   */
  Calendar.Span allowed(SlotPolicy policy) {
    long base =
        switch (policy.notBefore()) {
          case REQUESTED -> requestedMicros;
          case NOW -> Math.max(requestedMicros, nowMicros);
        };
    long latest =
        policy.maxDelayMicros() < Micros.LATEST - base
            ? base + policy.maxDelayMicros()
            : Micros.LATEST;
    return new Calendar.Span(Math.max(base, policy.pausedUntilMicros()), latest + 1);
  }
}
