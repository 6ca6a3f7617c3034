package dev.weir.register;

import java.time.Duration;
import java.time.Instant;

/**
 * The latest version that had a title, of an entry that may have been removed. What has counted by
 * that version, or has cached it, must not take a new entry of the title for an earlier one: both
 * the number and the time of its versions are therefore higher.
 *
 * @param version its number, 0 if there was none
 * @param time the time at which it was created
 */
public record TitlePast(int version, Instant time) {
  /**
   * A version that is further ahead of the clock was made while that was wrong. Later versions must
   * not keep its time: what happens until then would be taken for older than they are.
   */
  private static final Duration MAX_AHEAD = Duration.ofDays(1);

  /** No entry ever had the title. */
  public static final TitlePast NONE = new TitlePast(0, Instant.EPOCH);

  /** Combines two pasts: what follows the result follows both. */
  static TitlePast later(TitlePast one, TitlePast other) {
    return new TitlePast(
        Math.max(one.version, other.version),
        one.time.isBefore(other.time) ? other.time : one.time);
  }

  /** Returns the time of a version that is created now. */
  Instant after(Instant now) {
    Instant next = time.plusNanos(1_000);
    return version == 0 || !now.isBefore(next) || next.isAfter(now.plus(MAX_AHEAD)) ? now : next;
  }
}
