package dev.weir.notifications;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Users that have a limit, so that the database is not asked for each request while the broker is
 * down. One that is forgotten is asked for again. Thread-safe.
 */
final class KnownUsers {
  private static final int MAX = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Long> users = new LinkedHashSet<>();

  boolean contains(long userId) {
    lock.lock();
    try {
      return users.contains(userId);
    } finally {
      lock.unlock();
    }
  }

  void add(long userId) {
    lock.lock();
    try {
      users.add(userId);
      if (users.size() > MAX) {
        Iterator<Long> oldest = users.iterator();
        oldest.next();
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }
}
