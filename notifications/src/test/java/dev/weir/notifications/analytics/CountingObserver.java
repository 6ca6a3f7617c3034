package dev.weir.notifications.analytics;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/** Counts what becomes of events, and lets a test wait for it. */
final class CountingObserver implements AnalyticsObserver {
  private static final Duration MAX_WAIT = Duration.ofMinutes(4);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  long published;
  long dropped;
  long indexed;
  long duplicates;
  long rejected;

  private void count(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void published() {
    count(() -> published++);
  }

  @Override
  public void dropped() {
    count(() -> dropped++);
  }

  @Override
  public void indexed(int events) {
    count(() -> indexed += events);
  }

  @Override
  public void duplicates(int events) {
    count(() -> duplicates += events);
  }

  @Override
  public void rejected(int events) {
    count(() -> rejected += events);
  }

  /** Waits until a count has reached a number. */
  void await(ToLongFunction<CountingObserver> counted, long number) {
    lock.lock();
    try {
      long nanos = MAX_WAIT.toNanos();
      while (counted.applyAsLong(this) < number) {
        if (nanos <= 0) {
          throw new AssertionError("waited for %d in vain: %s".formatted(number, this));
        }
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all these events were written, as new ones or as known ones, or were rejected. */
  void awaitHandled(long events) {
    await(all -> all.indexed + all.duplicates + all.rejected, events);
  }

  @Override
  public String toString() {
    return "published %d, dropped %d, indexed %d, duplicates %d, rejected %d"
        .formatted(published, dropped, indexed, duplicates, rejected);
  }
}
