package dev.weir.notifications;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The versions of limits that were changed a short time ago, so that an entry of an earlier version
 * cannot refuse a request: not one that could not be dropped because its store was down, and not
 * one that another node writes at this moment.
 *
 * <p>A version is remembered until the entry was dropped, and for a while after that. If there are
 * more changes than are remembered, no entry is used until a while after the last of them.
 * Thread-safe; requests only read a map.
 */
final class LimitVersions {
  private static final int MAX_USERS = 100_000;

  /** Longer than a state of an earlier version can be on its way to the store. */
  static final Duration KEEP = Duration.ofMinutes(1);

  private final int maxUsers;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Long, Long> versions = new ConcurrentHashMap<>();

  /** Users whose entries have to be dropped, the longest waiting first; guarded by the lock. */
  private final Set<Long> pending = new LinkedHashSet<>();

  /** When the entries of the other users were dropped, the oldest first; guarded by the lock. */
  private final Map<Long, Long> droppedNanos = new LinkedHashMap<>();

  private volatile boolean hasOverflown;

  /** When a change was last not remembered; guarded by the lock. */
  private long overflowNanos;

  LimitVersions() {
    this(MAX_USERS, System::nanoTime);
  }

  LimitVersions(int maxUsers, LongSupplier nanoTime) {
    this.maxUsers = maxUsers;
    this.nanoTime = nanoTime;
  }

  void changed(long userId, long version) {
    lock.lock();
    try {
      Long known = versions.get(userId);
      if (known == null && versions.size() >= maxUsers) {
        overflowNanos = nanoTime.getAsLong();
        hasOverflown = true;
      } else if (known == null || known < version) {
        versions.put(userId, version);
        droppedNanos.remove(userId);
        pending.add(userId);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the version below which an entry is stale; 0 if any entry may be used. */
  long minVersion(long userId) {
    Long version = versions.get(userId);
    return version == null ? 0 : version;
  }

  /** Returns true if no entry may be used, because there were more changes than are remembered. */
  boolean isFull() {
    return hasOverflown;
  }

  /** Returns users whose entries have to be dropped. Forgets what was dropped long ago. */
  List<Long> pending(int max) {
    lock.lock();
    try {
      forgetOld();
      return pending.isEmpty() ? List.of() : pending.stream().limit(max).toList();
    } finally {
      lock.unlock();
    }
  }

  private void forgetOld() {
    long now = nanoTime.getAsLong();
    Iterator<Map.Entry<Long, Long>> oldest = droppedNanos.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Long, Long> each = oldest.next();
      if (now - each.getValue() <= KEEP.toNanos()) {
        break;
      }
      versions.remove(each.getKey());
      oldest.remove();
    }
    if (hasOverflown && now - overflowNanos > KEEP.toNanos()) {
      hasOverflown = false;
    }
  }

  /** Notes that the entry of a user was dropped after the limit had the given version. */
  void dropped(long userId, long version) {
    lock.lock();
    try {
      if (minVersion(userId) == version && pending.remove(userId)) {
        droppedNanos.put(userId, nanoTime.getAsLong());
      }
    } finally {
      lock.unlock();
    }
  }
}
