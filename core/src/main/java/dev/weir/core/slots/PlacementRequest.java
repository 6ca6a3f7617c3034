package dev.weir.core.slots;

import dev.weir.core.Micros;

/** The time that an event asks for, and the time at which it asks. */
public record PlacementRequest(long requestedMicros, long nowMicros) {
  /** The time within which the event may run: from what it asks for to the longest delay. */
  Calendar.Span allowed(SlotPolicy terms) {
    long base =
        switch (terms.notBefore()) {
          case REQUESTED -> requestedMicros;
          case NOW -> Math.max(requestedMicros, nowMicros);
        };
    long latest =
        terms.maxDelayMicros() < Micros.LATEST - base
            ? base + terms.maxDelayMicros()
            : Micros.LATEST;
    return new Calendar.Span(Math.max(base, terms.pausedUntilMicros()), latest + 1);
  }
}
