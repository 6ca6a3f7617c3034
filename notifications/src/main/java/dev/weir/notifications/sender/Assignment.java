package dev.weir.notifications.sender;

import dev.weir.notifications.sender.OutboundRecord.Lane;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition while it is assigned to this sender. When it is revoked, pauses end and no further
 * message is begun, so that the next owner finds nothing in progress.
 */
final class Assignment {
  private static final long MIN_REREAD_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final long RECORD_PAUSE_NANOS = 100_000;

  private final TopicPartition partition;

  // These are used by the consumer's thread only.
  private OffsetTracker offsets;
  private SkippedRecords skipped = new SkippedRecords();
  private Optional<Reread> reread = Optional.empty();
  private long nextRereadNanos = System.nanoTime();

  private final Set<Lane> failing = ConcurrentHashMap.newKeySet();

  private final CountDownLatch revoked = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private int inProgress;

  Assignment(TopicPartition partition, long position) {
    this.partition = partition;
    this.offsets = new OffsetTracker(position);
  }

  TopicPartition partition() {
    return partition;
  }

  OffsetTracker offsets() {
    return offsets;
  }

  /** Notes that the partition is read again from another position; earlier records go on. */
  void restart(long position) {
    offsets = new OffsetTracker(position);
    skipped = new SkippedRecords();
    reread = Optional.empty();
  }

  SkippedRecords skipped() {
    return skipped;
  }

  /**
   * A part of the partition that is read again, for records that were skipped.
   *
   * @param from a record that was skipped
   * @param until where reading goes on afterwards
   * @param isBegun whether a record of it has come
   */
  record Reread(long from, long until, boolean isBegun) {}

  Optional<Reread> reread() {
    return reread;
  }

  /** Returns true if the partition may be read again now. */
  boolean mayReread() {
    return reread.isEmpty() && System.nanoTime() - nextRereadNanos >= 0;
  }

  void beginReread(long from) {
    reread = Optional.of(new Reread(from, offsets.next(), false));
  }

  /** Notes that the first record of it has come. */
  void rereadBegun() {
    reread = reread.map(each -> new Reread(each.from(), each.until(), true));
  }

  /**
   * Ends it at a position. The next one follows after a pause that grows with what was read, so
   * that most of the time is for new records.
   */
  void endReread(long position) {
    long records = reread.map(ended -> position - ended.from()).orElse(0L);
    nextRereadNanos = System.nanoTime() + MIN_REREAD_PAUSE_NANOS + records * RECORD_PAUSE_NANOS;
    reread = Optional.empty();
  }

  /** Notes that the first record of a lane failed, and that the lane pauses. */
  void putAside(Lane lane) {
    failing.add(lane);
  }

  /** Notes that the first record of a lane is done. */
  void takeBack(Lane lane) {
    failing.remove(lane);
  }

  /** Returns the lanes whose first record failed. Thread-safe. */
  Set<Lane> failing() {
    return failing;
  }

  boolean isRevoked() {
    return revoked.getCount() == 0;
  }

  /** Begins a message; returns false if the partition has been revoked. */
  boolean begin() {
    lock.lock();
    try {
      if (isRevoked()) {
        return false;
      }
      inProgress++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  void end() {
    lock.lock();
    try {
      inProgress--;
      if (inProgress == 0) {
        idle.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits; returns false if the partition is revoked before the time is over. */
  boolean pause(Duration duration) {
    try {
      return !revoked.await(duration.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void revoke() {
    lock.lock();
    try {
      revoked.countDown();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no message is in progress; returns false if that takes longer than {@code max}. */
  boolean awaitIdle(Duration max) {
    long nanos = max.toNanos();
    lock.lock();
    try {
      while (inProgress > 0) {
        if (nanos <= 0) {
          return false;
        }
        nanos = idle.awaitNanos(nanos);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }
}
