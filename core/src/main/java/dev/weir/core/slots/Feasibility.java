package dev.weir.core.slots;

import dev.weir.core.Micros;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Whether terms can give a slot at all. Each field of them may be fine and yet no event could ever
 * be placed: the only place of each window may lie in closed time, for example.
 */
public final class Feasibility {
  /** No place is kept, so any chance will do. */
  private static final RandomGenerator NO_CHANCE = () -> 0L;

  private Feasibility() {}

  /** Says why no event that asks from {@code nowMicros} on could get a slot; empty if one could. */
  public static Optional<Violation> problem(SlotPolicy terms, long nowMicros) {
    // A shorter delay leaves less than one place of a window to any event.
    long shortestDelay = -Math.floorDiv(-terms.windowMicros(), terms.maxPerWindow()) - 1;
    if (terms.spread() == Spread.RANDOM && terms.maxDelayMicros() < shortestDelay) {
      return Optional.of(
          new Violation(
              "maxDelay",
              "must be at least %s, or no event gets a slot: with spread random, that is one of"
                      .formatted(Micros.duration(shortestDelay))
                  + " %d shares of a window of %s"
                      .formatted(terms.maxPerWindow(), terms.window())));
    }
    if (givesOn(terms, terms.pausedUntilMicros(), nowMicros)) {
      return Optional.empty();
    }
    if (givesOn(terms, SlotPolicy.NOT_PAUSED, nowMicros)) {
      return Optional.of(
          new Violation(
              "pausedUntil",
              "must leave time for a slot up to the end of year 9999, or none is given"));
    }
    String reason =
        switch (terms.spread()) {
          case EVEN ->
              "is open at no place of any window: with maxPerWindow %d and windows of %s,"
                      .formatted(terms.maxPerWindow(), terms.window())
                  + " places lie only every %s from the start of a window"
                      .formatted(
                          Micros.duration(
                              terms.windowMicros() / SlotPolicy.grid(terms.maxPerWindow())));
          case RANDOM ->
              "is never open for long enough: with maxPerWindow %d, a window of %s gives"
                      .formatted(terms.maxPerWindow(), terms.window())
                  + " its first slot for %s of open time"
                      .formatted(Micros.duration(shortestDelay + 1));
        };
    return Optional.of(new Violation("calendar", reason));
  }

  /** Whether an event that may wait for ever finds a place in empty windows. */
  private static boolean givesOn(SlotPolicy terms, long pausedUntilMicros, long nowMicros) {
    SlotPolicy patient =
        new SlotPolicy(
            terms.maxPerWindow(),
            terms.windowMicros(),
            terms.spread(),
            SlotPolicy.UNBOUNDED,
            terms.notBefore(),
            terms.calendar(),
            pausedUntilMicros);
    PlacementRequest wish = new PlacementRequest(nowMicros, nowMicros);
    return Planner.place(OccupancyView.empty(patient), wish, NO_CHANCE) instanceof Placement.Placed;
  }
}
