package dev.weir.slots;

/**
 * Thrown if an event got no slot: its configuration does not exist, or no place is free within the
 * configuration's maximum delay. Thrown only by the short forms of {@link
 * SlotScheduler#assign(String, String)}; {@link SlotScheduler#assign(SlotRequest)} returns these
 * outcomes as values.
 */
public final class NoSlotException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Assignment assignment;

  NoSlotException(Assignment assignment, String message) {
    super(message);
    this.assignment = assignment;
  }

  /** Returns the outcome: {@link Assignment.NoCapacity} or {@link Assignment.UnknownConfig}. */
  public Assignment assignment() {
    return assignment;
  }
}
