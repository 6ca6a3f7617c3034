package dev.weir.notifications.sender;

import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Which records of a partition are done. The position to commit is that of the first record that is
 * not: records behind it that are done are read again after a crash, and none is skipped. Not
 * thread-safe.
 */
final class OffsetTracker {
  /** Records that are not done, with their times. */
  private final TreeMap<Long, Long> open = new TreeMap<>();

  private long next;
  private long committed;

  /** Creates the tracker of a partition that is read from the given position. */
  OffsetTracker(long position) {
    this.next = position;
    this.committed = position;
  }

  /** Notes a record that was read; returns false if reading has passed its offset before. */
  boolean add(long offset, long timestamp) {
    if (offset < next) {
      return false;
    }
    open.put(offset, timestamp);
    next = offset + 1;
    return true;
  }

  void done(long offset) {
    open.remove(offset);
  }

  /** Returns the position up to which reading has come. */
  long next() {
    return next;
  }

  /** Returns the number of records that were read and are not done. */
  int openCount() {
    return open.size();
  }

  /** Returns the time of the first record that is not done. */
  OptionalLong oldestTimestamp() {
    return open.isEmpty() ? OptionalLong.empty() : OptionalLong.of(open.firstEntry().getValue());
  }

  /** Returns the position at which a successor has to begin. */
  long position() {
    return open.isEmpty() ? next : open.firstKey();
  }

  boolean hasProgress() {
    return position() > committed;
  }

  void committed(long position) {
    committed = Math.max(committed, position);
  }
}
