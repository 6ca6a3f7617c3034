package dev.weir.notifications.provider;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The ids of the parts that were submitted of messages that are not complete, so that a repetition
 * goes on with the next part. Thread-safe.
 */
final class SubmittedParts {
  /**
   * Bounds the memory for messages that are not repeated after a part of them was submitted. Those
   * that are repeated are younger, by their last use.
   */
  private static final int MAX_MESSAGES = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<UUID, List<String>> messages =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, List<String>> eldest) {
          return size() > MAX_MESSAGES;
        }
      };

  int count(UUID message) {
    lock.lock();
    try {
      return messages.getOrDefault(message, List.of()).size();
    } finally {
      lock.unlock();
    }
  }

  void add(UUID message, String id) {
    lock.lock();
    try {
      messages.computeIfAbsent(message, any -> new ArrayList<>()).add(id);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Forgets a message, and returns the ids of its parts; none if one of them has none, because then
   * its receipts could not be complete.
   */
  List<String> remove(UUID message) {
    lock.lock();
    try {
      List<String> ids = messages.remove(message);
      return ids == null || ids.contains("") ? List.of() : List.copyOf(ids);
    } finally {
      lock.unlock();
    }
  }
}
