package dev.weir.store.jdbc.internal;

import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Rows by their keys, as they were read and as they are to be: the difference is written. */
public record Changes<K extends Comparable<? super K>, V>(
    SortedMap<K, V> before, SortedMap<K, V> after) {
  public boolean isEmpty() {
    return before.equals(after);
  }

  SortedMap<K, V> added() {
    SortedMap<K, V> added = new TreeMap<>(after);
    added.keySet().removeAll(before.keySet());
    return added;
  }

  SortedMap<K, V> updated() {
    SortedMap<K, V> updated = new TreeMap<>(after);
    updated.keySet().retainAll(before.keySet());
    updated.entrySet().removeIf(row -> Objects.equals(before.get(row.getKey()), row.getValue()));
    return updated;
  }

  SortedSet<K> removed() {
    SortedSet<K> removed = new TreeSet<>(before.keySet());
    removed.removeAll(after.keySet());
    return removed;
  }
}
