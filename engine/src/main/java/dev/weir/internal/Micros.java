package dev.weir.internal;

import java.time.Duration;
import java.time.Instant;

/**
 * Conversions between {@code java.time} types and whole microseconds since the epoch, the unit of
 * time used inside Weir.
 *
 * <p>The range is the years 1 to 9999: every store can hold these times and every ISO-8601 parser
 * can read them.
 */
public final class Micros {
  /** 0001-01-01T00:00:00Z, the earliest time that can be requested. */
  public static final long EARLIEST = -62_135_596_800_000_000L;

  /** 9999-12-31T23:59:59.999999Z, the latest time that can be requested or assigned. */
  public static final long LATEST = 253_402_300_799_999_999L;

  public static final long PER_SECOND = 1_000_000L;

  private Micros() {}

  /**
   * Returns the first microsecond that is not before {@code time}. Rounding down would yield a time
   * that is too early.
   */
  public static long ceil(Instant time) {
    long nanos = time.getNano();
    return Math.addExact(
        Math.multiplyExact(time.getEpochSecond(), PER_SECOND), (nanos + 999L) / 1000L);
  }

  public static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * 1000L);
  }

  public static Duration duration(long micros) {
    return Duration.ofSeconds(
        Math.floorDiv(micros, PER_SECOND), Math.floorMod(micros, PER_SECOND) * 1000L);
  }

  /**
   * Returns the whole microseconds of {@code duration}.
   *
   * @throws ArithmeticException if {@code duration} does not fit into a {@code long}
   */
  public static long floor(Duration duration) {
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), PER_SECOND), duration.getNano() / 1000L);
  }

  /**
   * Returns the whole microseconds of {@code duration}, or the nearest {@code long}. Accepts every
   * {@link Duration}.
   */
  public static long saturated(Duration duration) {
    if (duration.toSeconds() > Long.MAX_VALUE / PER_SECOND - 1) {
      return Long.MAX_VALUE;
    }
    return duration.toSeconds() < Long.MIN_VALUE / PER_SECOND + 1
        ? Long.MIN_VALUE
        : floor(duration);
  }

  /**
   * Returns {@code time} limited to [{@link #EARLIEST}, {@link #LATEST}]. Accepts every {@link
   * Instant}.
   */
  public static long clamped(Instant time) {
    if (time.isBefore(instant(EARLIEST))) {
      return EARLIEST;
    }
    return time.isAfter(instant(LATEST)) ? LATEST : ceil(time);
  }

  public static boolean inRange(long micros) {
    return micros >= EARLIEST && micros <= LATEST;
  }

  /**
   * Returns true if {@code time} is in [{@link #EARLIEST}, {@link #LATEST}]. Accepts every {@link
   * Instant}.
   */
  public static boolean inRange(Instant time) {
    return !time.isBefore(instant(EARLIEST)) && !time.isAfter(instant(LATEST));
  }
}
