package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.time.Duration;

/** Argument checks whose exceptions name the field and the value. */
final class Require {
  private Require() {}

  static void between(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, not %d".formatted(field, min, max, value));
    }
  }

  static void window(long micros) {
    duration("window", micros);
  }

  static void duration(String field, long micros) {
    if (micros < Limit.MIN_DURATION_MICROS || micros > Limit.MAX_DURATION_MICROS) {
      throw new IllegalArgumentException(
          "%s must be from %s to %s, not %s"
              .formatted(
                  field,
                  Micros.duration(Limit.MIN_DURATION_MICROS),
                  Micros.duration(Limit.MAX_DURATION_MICROS),
                  Micros.duration(micros)));
    }
  }

  /** Returns the length of a window, or a time to live, in microseconds, which must be whole. */
  static long micros(String field, Duration duration) {
    return micros(field, duration, Limit.MIN_DURATION_MICROS);
  }

  /** Returns a duration in microseconds, which must be whole and at least {@code minMicros}. */
  static long micros(String field, Duration duration, long minMicros) {
    requireNonNull(duration, field);
    if (duration.compareTo(Micros.duration(Limit.MAX_DURATION_MICROS)) > 0
        || duration.compareTo(Micros.duration(minMicros)) < 0
        || !Micros.duration(Micros.floor(duration)).equals(duration)) {
      throw new IllegalArgumentException(
          "%s must be whole microseconds from %s to %s, not %s"
              .formatted(
                  field,
                  Micros.duration(minMicros),
                  Micros.duration(Limit.MAX_DURATION_MICROS),
                  duration));
    }
    return Micros.floor(duration);
  }

  /** Returns one of {@code nodes} equal parts, at least 1. */
  static long share(long whole, int nodes) {
    between("nodes", nodes, 1, Limit.MAX_NODES);
    return Math.max(1, whole / nodes);
  }
}
