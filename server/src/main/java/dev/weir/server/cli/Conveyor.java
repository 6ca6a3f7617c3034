package dev.weir.server.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of lines that were sent and have no result yet, in order, between the thread that
 * sends and the thread that reads results; and the lines that must be sent again.
 *
 * <p>Bounded: the sender waits while the max number of blocks is in flight, and takes nothing new
 * from the feed while lines wait to be sent again. Thread-safe.
 */
final class Conveyor {
  private static final int MAX_BLOCKS = 64;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Block> unread = new ArrayDeque<>();
  private List<FeedLine.Entry> again = new ArrayList<>();
  private int unanswered;
  private boolean ended;

  /**
   * Lines that are sent together.
   *
   * @param lines in the order of their results
   * @param feedBytes the position in the feed after these lines
   */
  record Block(List<FeedLine> lines, long feedBytes) {
    Block {
      lines = List.copyOf(lines);
    }
  }

  /** Announces a block that is about to be sent; waits while too many are in flight. */
  void put(Block block) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (unanswered >= MAX_BLOCKS) {
        changed.await();
      }
      unanswered++;
      unread.add(block);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Signals that no more blocks follow. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the next block whose results are to be read; null after the last. */
  @Nullable Block take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (unread.isEmpty() && !ended) {
        changed.await();
      }
      return unread.poll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Marks a taken block as complete.
   *
   * @param again those of its lines that the sender should send again
   */
  void answered(List<FeedLine.Entry> again) {
    lock.lock();
    try {
      unanswered--;
      this.again.addAll(again);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how often the first of the lines to be sent again was refused; 0 if there are none. */
  int againAttempt() {
    lock.lock();
    try {
      return again.isEmpty() ? 0 : again.getFirst().attempt();
    } finally {
      lock.unlock();
    }
  }

  /** Takes all lines that should be sent again. */
  List<FeedLine.Entry> takeAgain() {
    lock.lock();
    try {
      List<FeedLine.Entry> taken = again;
      again = new ArrayList<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all results are in or a line must be sent again; returns true for the latter. */
  boolean awaitAgain() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (unanswered > 0 && again.isEmpty()) {
        changed.await();
      }
      return !again.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}
