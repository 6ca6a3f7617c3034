package dev.weir.core.slots;

/** What the planner found for one event. */
public sealed interface Placement {
  /**
   * The event has a place.
   *
   * @param lookahead how many windows lie between the wanted one and this one
   */
  record Placed(long windowStartMicros, int place, long scheduledMicros, long lookahead)
      implements Placement {}

  /**
   * No place is free within the allowed delay.
   *
   * @param freeMicros the time of the first free place, {@link Calendar#NEVER} if there is none
   */
  record NoRoom(long freeMicros) implements Placement {}

  /** The picture does not cover the window that starts here: add that page and ask again. */
  record Unknown(long fromMicros) implements Placement {}
}
