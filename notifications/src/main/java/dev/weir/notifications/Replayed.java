package dev.weir.notifications;

/**
 * What a replay of dead letters has done.
 *
 * @param replayed the number of letters that were published
 * @param skipped the number of letters that were left out: the record was too large to be kept
 *     whole, or has no room for the header of a replay
 */
public record Replayed(long replayed, long skipped) {
  public static final Replayed NONE = new Replayed(0, 0);

  /** Returns the sum of both. */
  public Replayed plus(Replayed other) {
    return new Replayed(replayed + other.replayed, skipped + other.skipped);
  }
}
