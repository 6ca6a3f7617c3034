package dev.weir.slots.planning.internal;

/** The planner's result for one event. */
public sealed interface Placement {
  /**
   * The event has a place.
   *
   * @param lookahead the number of windows between the wanted one and this one
   */
  record Placed(long windowStartMicros, int place, long scheduledMicros, long lookahead)
      implements Placement {}

  /**
   * No place is free within the allowed delay.
   *
   * @param freeMicros the time of the first free place; {@link TimeSpan#NEVER} if there is none
   */
  record NoCapacity(long freeMicros) implements Placement {}

  /** The view does not cover the window that starts here: add that page and repeat the call. */
  record Unknown(long fromMicros) implements Placement {}
}
