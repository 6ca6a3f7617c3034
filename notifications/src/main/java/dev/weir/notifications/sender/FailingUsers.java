package dev.weir.notifications.sender;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Since when attempts with the messages of a user have failed, one after the other. It belongs to
 * the user, not to the message: if the recipient fails for good, each further message gets one
 * attempt, not all of them. Thread-safe.
 */
final class FailingUsers {
  /** A user that is forgotten begins anew, which costs time only. */
  private static final int MAX_USERS = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Failing> users =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Failing> eldest) {
          return size() > MAX_USERS;
        }
      };

  /**
   * The failures of a user.
   *
   * @param attempts how many there were, at least 1
   */
  record Failing(long sinceNanos, int attempts) {
    boolean hasLasted(Duration max) {
      return System.nanoTime() - sinceNanos >= max.toNanos();
    }
  }

  /** Notes a failure; returns all since the last success. */
  Failing failed(long userId) {
    lock.lock();
    try {
      return users.merge(
          userId,
          new Failing(System.nanoTime(), 1),
          (known, next) -> new Failing(known.sinceNanos(), known.attempts() + 1));
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the provider has answered for good. */
  void answered(long userId) {
    lock.lock();
    try {
      users.remove(userId);
    } finally {
      lock.unlock();
    }
  }
}
