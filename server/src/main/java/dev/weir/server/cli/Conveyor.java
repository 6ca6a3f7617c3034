package dev.weir.server.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of lines that were sent and are not answered yet, in order, between the thread that
 * sends and the one that reads the answers; and the lines that must go round again.
 *
 * <p>Bounded: the sender waits while so many blocks are under way, and takes nothing new from the
 * feed as long as lines want to go round again. Thread-safe.
 */
final class Conveyor {
  private static final int MOST_BLOCKS = 64;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Block> unread = new ArrayDeque<>();
  private List<FeedLine.Entry> again = new ArrayList<>();
  private int unanswered;
  private boolean ended;

  /**
   * Lines that are sent together.
   *
   * @param lines in the order of their answers
   * @param feedBytes up to where the feed has been read
   */
  record Block(List<FeedLine> lines, long feedBytes) {
    Block {
      lines = List.copyOf(lines);
    }
  }

  /** Announces a block that is about to be sent; waits while too many are under way. */
  void put(Block block) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (unanswered >= MOST_BLOCKS) {
        changed.await();
      }
      unanswered++;
      unread.add(block);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Says that nothing more will be put. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The next block to read the answers of; null after the last. */
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
   * Says that a block taken is answered.
   *
   * @param again those of its lines that the sender should send once more
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

  /** How often the first of the lines to be sent once more was refused; 0 if there are none. */
  int againAttempt() {
    lock.lock();
    try {
      return again.isEmpty() ? 0 : again.getFirst().attempt();
    } finally {
      lock.unlock();
    }
  }

  /** Takes all lines that should be sent once more. */
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

  /** Waits until all is answered or something must go round again; says whether the latter. */
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
