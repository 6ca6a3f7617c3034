package dev.weir.benchmarks.slots;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A bounded cache of window starts with a known property that can never change.
 *
 * <p>It clears itself when it is full; frequently used entries soon return. Thread-safe.
 */
final class RememberedStarts {
  private final int max;
  private final Set<Long> starts = ConcurrentHashMap.newKeySet();

  RememberedStarts(int max) {
    this.max = max;
  }

  boolean contains(long start) {
    return starts.contains(start);
  }

  void add(long start) {
    if (starts.size() >= max) {
      starts.clear();
    }
    starts.add(start);
  }
}
