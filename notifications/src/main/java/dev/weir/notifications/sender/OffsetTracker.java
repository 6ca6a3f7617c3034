package dev.weir.notifications.sender;

import java.util.TreeSet;

/**
 * Which records of a partition are done. The position to commit is that of the first record that is
 * not: records behind it that are done are read again after a crash, and none is skipped. Not
 * thread-safe.
 */
final class OffsetTracker {
  private final TreeSet<Long> open = new TreeSet<>();
  private long next;
  private long committed;

  /** Creates the tracker of a partition that is read from the given position. */
  OffsetTracker(long position) {
    this.next = position;
    this.committed = position;
  }

  /** Notes a record that was read; returns false if reading has passed its offset before. */
  boolean add(long offset) {
    if (offset < next) {
      return false;
    }
    open.add(offset);
    next = offset + 1;
    return true;
  }

  void done(long offset) {
    open.remove(offset);
  }

  /** Returns the position at which a successor has to begin. */
  long position() {
    return open.isEmpty() ? next : open.first();
  }

  boolean hasProgress() {
    return position() > committed;
  }

  void committed(long position) {
    committed = Math.max(committed, position);
  }
}
