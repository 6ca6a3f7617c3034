package dev.weir.notifications.sender;

import java.time.Duration;
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
  private final TopicPartition partition;

  /** Used by the consumer's thread only. */
  private OffsetTracker offsets;

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
