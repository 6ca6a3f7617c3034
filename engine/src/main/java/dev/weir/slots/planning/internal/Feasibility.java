package dev.weir.slots.planning.internal;

import dev.weir.Violation;
import dev.weir.internal.Micros;
import dev.weir.internal.Places;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Checks whether a policy can assign any slot at all. Each of its fields may be valid and still no
 * event could ever be placed, for example if the only place of each window is in closed time.
 */
public final class Feasibility {
  /** The place found is not kept, so any random number will do. */
  private static final RandomGenerator NO_RANDOM = () -> 0L;

  private Feasibility() {}

  /**
   * Returns why no event requested at or after {@code nowMicros} can get a slot; empty if one can.
   */
  public static Optional<Violation> problem(SlotPolicy policy, long nowMicros) {
    // With a shorter delay, less than one place of a window is available to any event.
    long minDelay = -Math.floorDiv(-policy.windowMicros(), policy.maxPerWindow()) - 1;
    if (policy.spread() == Spread.RANDOM && PolicyTimes.maxDelayMicros(policy) < minDelay) {
      return Optional.of(
          new Violation(
              "maxDelay",
              "must be at least %s, or no event can get a slot: with spread random, that is one of"
                      .formatted(Micros.duration(minDelay))
                  + " %d shares of a window of %s"
                      .formatted(policy.maxPerWindow(), policy.window())));
    }
    if (canPlace(policy, nowMicros)) {
      return Optional.empty();
    }
    if (canPlace(policy.withoutPause(), nowMicros)) {
      return Optional.of(
          new Violation("pausedUntil", "must leave time for a slot before the end of year 9999"));
    }
    String reason =
        switch (policy.spread()) {
          case EVEN ->
              "is not open at any place of a window: with maxPerWindow %d and windows of %s,"
                      .formatted(policy.maxPerWindow(), policy.window())
                  + " there is one place every %s from the start of a window"
                      .formatted(
                          Micros.duration(
                              policy.windowMicros() / Places.grid(policy.maxPerWindow())));
          case RANDOM ->
              "is never open for long enough: with maxPerWindow %d, a window of %s has"
                      .formatted(policy.maxPerWindow(), policy.window())
                  + " one slot per %s of open time".formatted(Micros.duration(minDelay + 1));
        };
    return Optional.of(new Violation("calendar", reason));
  }

  /** Returns true if an event with an unlimited delay finds a place in empty windows. */
  private static boolean canPlace(SlotPolicy policy, long nowMicros) {
    PlacementRequest request = new PlacementRequest(nowMicros, nowMicros);
    return Planner.place(OccupancyView.empty(policy.withoutMaxDelay()), request, NO_RANDOM)
        instanceof Placement.Placed;
  }
}
