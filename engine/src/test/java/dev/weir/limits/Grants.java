package dev.weir.limits;

import java.util.ArrayList;
import java.util.List;

/** All grants with their times, for test oracles. */
final class Grants {
  record Grant(long atMicros, long cost) {}

  final List<Grant> all = new ArrayList<>();

  void add(long atMicros, long cost) {
    all.add(new Grant(atMicros, cost));
  }

  /** Returns the sum of the grants from a time, inclusive, to another, exclusive. */
  long sum(long fromMicros, long untilMicros) {
    return all.stream()
        .filter(grant -> grant.atMicros() >= fromMicros && grant.atMicros() < untilMicros)
        .mapToLong(Grant::cost)
        .sum();
  }
}
