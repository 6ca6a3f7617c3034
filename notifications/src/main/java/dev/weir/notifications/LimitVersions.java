package dev.weir.notifications;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The versions of limits that were changed a short time ago, so that an entry of an earlier version
 * cannot refuse a request: not one that could not be dropped because its store was down, and not
 * one that another node writes at this moment.
 *
 * <p>A version is remembered until the entry was dropped, and for a while after that. If too many
 * are remembered, entries are not used at all until enough of them were dropped. Thread-safe.
 */
final class LimitVersions {
  private static final int MAX_USERS = 10_000;

  /** Longer than a state of an earlier version can be on its way to the store. */
  private static final long KEEP_NANOS = Duration.ofMinutes(1).toNanos();

  private final Map<Long, Change> changes = new ConcurrentHashMap<>();

  /**
   * A change of a limit.
   *
   * @param isPending true until the earlier entry was dropped
   * @param atNanos when it was dropped or, before that, when the limit was changed
   */
  private record Change(long version, boolean isPending, long atNanos) {}

  void changed(long userId, long version) {
    Change change = new Change(version, true, System.nanoTime());
    changes.merge(
        userId, change, (known, latest) -> latest.version() > known.version() ? latest : known);
  }

  /** Returns the version below which an entry is stale; 0 if any entry may be used. */
  long minVersion(long userId) {
    Change change = changes.get(userId);
    return change == null ? 0 : change.version();
  }

  /** Returns true if no entry may be used, because there are more changes than are remembered. */
  boolean isFull() {
    return changes.size() > MAX_USERS;
  }

  /** Returns users whose entries have to be dropped. Forgets what was dropped long ago. */
  List<Long> pending(int max) {
    long now = System.nanoTime();
    changes.values().removeIf(change -> !change.isPending() && now - change.atNanos() > KEEP_NANOS);
    return changes.entrySet().stream()
        .filter(entry -> entry.getValue().isPending())
        .limit(max)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Notes that the entry of a user was dropped after the limit had the given version. */
  void dropped(long userId, long version) {
    changes.computeIfPresent(
        userId,
        (user, change) ->
            change.version() == version ? new Change(version, false, System.nanoTime()) : change);
  }
}
