package dev.weir.core.limits;

import java.util.ArrayList;
import java.util.List;

/** Everything that was granted, and when: what oracles count. */
final class Grants {
  record Grant(long atMicros, long cost) {}

  final List<Grant> all = new ArrayList<>();

  void add(long atMicros, long cost) {
    all.add(new Grant(atMicros, cost));
  }

  /** The sum of what was granted from a time until before another. */
  long sum(long fromMicros, long untilMicros) {
    return all.stream()
        .filter(grant -> grant.atMicros() >= fromMicros && grant.atMicros() < untilMicros)
        .mapToLong(Grant::cost)
        .sum();
  }
}
