package dev.weir.server.dashboard;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The most frequent keys of a stream in bounded memory (Misra and Gries). Whenever there are more
 * keys than the capacity, the count of the first one beyond it is taken from all, and keys without
 * a count are forgotten. So the count of a key is too small by at most {@link #error}, which is at
 * most the number of all occurrences divided by the capacity. Not thread-safe.
 */
final class HeavyHitters<K> {
  private final int capacity;
  private final Map<K, Long> counts = new HashMap<>();
  private long error;

  HeavyHitters(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1, not " + capacity);
    }
    this.capacity = capacity;
  }

  /** A key and how often it occurred at least. */
  record Hitter<K>(K key, long count) {}

  void add(Map<K, Long> occurrences) {
    occurrences.forEach((key, count) -> counts.merge(key, count, Long::sum));
    trim();
  }

  /** Adds what another one has seen, with its error. */
  void add(HeavyHitters<K> other) {
    error += other.error;
    add(other.counts);
  }

  private void trim() {
    if (counts.size() <= capacity) {
      return;
    }
    long[] sorted = counts.values().stream().mapToLong(Long::longValue).sorted().toArray();
    long cut = sorted[sorted.length - 1 - capacity];
    counts.replaceAll((key, count) -> count - cut);
    counts.values().removeIf(count -> count <= 0);
    error += cut;
  }

  /** Returns by how much a count is too small at most; keys that are not held have up to this. */
  long error() {
    return error;
  }

  /** Returns the most frequent keys, the most frequent first, equal ones in the given order. */
  List<Hitter<K>> top(int max, Comparator<K> order) {
    return counts.entrySet().stream()
        .map(entry -> new Hitter<>(entry.getKey(), entry.getValue()))
        .sorted(
            Comparator.<Hitter<K>>comparingLong(Hitter::count)
                .reversed()
                .thenComparing(Hitter::key, order))
        .limit(max)
        .toList();
  }

  /**
   * Returns the most frequent keys without those that may be there by chance: a count below the
   * errors says nothing about the order of keys.
   *
   * @param otherError by how much counts may be wrong for another reason
   */
  List<Hitter<K>> certain(int max, Comparator<K> order, long otherError) {
    return top(max, order).stream().filter(hitter -> hitter.count() >= error + otherError).toList();
  }

  int size() {
    return counts.size();
  }
}
