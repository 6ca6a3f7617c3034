package dev.weir.benchmarks.slots;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A bounded memory of window starts of which something is known that cannot become untrue.
 *
 * <p>It forgets everything when it is full: what is asked for often comes back at once. Safe for
 * use by many threads.
 */
final class RememberedStarts {
  private final int most;
  private final Set<Long> starts = ConcurrentHashMap.newKeySet();

  RememberedStarts(int most) {
    this.most = most;
  }

  boolean contains(long start) {
    return starts.contains(start);
  }

  void add(long start) {
    if (starts.size() >= most) {
      starts.clear();
    }
    starts.add(start);
  }
}
