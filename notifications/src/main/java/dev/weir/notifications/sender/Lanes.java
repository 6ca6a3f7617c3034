package dev.weir.notifications.sender;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Works on items in the order in which they were added, one at a time for each key, and on
 * different keys at the same time. A key has a virtual thread as long as it has items. Thread-safe.
 *
 * @param <K> a key
 * @param <T> an item
 */
final class Lanes<K, T> {
  private final Consumer<T> work;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<K, Queue<T>> lanes = new HashMap<>();

  /**
   * Creates lanes without items.
   *
   * @param work must not throw
   */
  Lanes(Consumer<T> work) {
    this.work = work;
  }

  void add(K key, T item) {
    lock.lock();
    try {
      Queue<T> lane = lanes.get(key);
      if (lane != null) {
        lane.add(item);
        return;
      }
      lane = new ArrayDeque<>();
      lane.add(item);
      lanes.put(key, lane);
    } finally {
      lock.unlock();
    }
    Thread.ofVirtual().name("weir-sender").start(() -> run(key));
  }

  /** Removes and returns items of a key that are not begun. */
  List<T> drain(K key, Predicate<T> which) {
    lock.lock();
    try {
      Queue<T> lane = lanes.get(key);
      if (lane == null) {
        return List.of();
      }
      List<T> drained = lane.stream().filter(which).toList();
      lane.removeIf(which);
      return drained;
    } finally {
      lock.unlock();
    }
  }

  private void run(K key) {
    for (T item = next(key); item != null; item = next(key)) {
      work.accept(item);
    }
  }

  /** Returns the next item; null if there is none, and then the key has no thread any more. */
  private @Nullable T next(K key) {
    lock.lock();
    try {
      Queue<T> lane = lanes.get(key);
      T item = lane == null ? null : lane.poll();
      if (item == null) {
        lanes.remove(key);
      }
      return item;
    } finally {
      lock.unlock();
    }
  }
}
