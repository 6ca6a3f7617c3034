package dev.weir.core.limits;

import dev.weir.core.Micros;
import java.time.Duration;

/** Refuses what cannot be, naming field and value. */
final class Require {
  private Require() {}

  static void between(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, not %d".formatted(field, least, most, value));
    }
  }

  static void window(long micros) {
    duration("window", micros);
  }

  static void duration(String field, long micros) {
    if (micros < Limit.SHORTEST_MICROS || micros > Limit.LONGEST_MICROS) {
      throw new IllegalArgumentException(
          "%s must be from %s to %s, not %s"
              .formatted(
                  field,
                  Micros.duration(Limit.SHORTEST_MICROS),
                  Micros.duration(Limit.LONGEST_MICROS),
                  Micros.duration(micros)));
    }
  }

  /** The microseconds of a duration, which must be whole. */
  static long micros(String field, Duration duration) {
    if (duration.compareTo(Micros.duration(Limit.LONGEST_MICROS)) > 0
        || duration.isNegative()
        || !Micros.duration(Micros.floor(duration)).equals(duration)) {
      throw new IllegalArgumentException(
          "%s must be whole microseconds from %s to %s, not %s"
              .formatted(
                  field,
                  Micros.duration(Limit.SHORTEST_MICROS),
                  Micros.duration(Limit.LONGEST_MICROS),
                  duration));
    }
    return Micros.floor(duration);
  }

  /** One of so many equal parts, never nothing. */
  static long share(long whole, int nodes) {
    between("nodes", nodes, 1, Limit.MOST_NODES);
    return Math.max(1, whole / nodes);
  }
}
