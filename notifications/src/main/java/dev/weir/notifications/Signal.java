package dev.weir.notifications;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes a thread that waits for work; signals that come before it waits count as one. */
final class Signal {
  private final Semaphore permits = new Semaphore(0);

  void give() {
    if (permits.availablePermits() == 0) {
      permits.release();
    }
  }

  /** Waits for a signal, up to the given time, and takes all that were given. */
  void await(Duration max) {
    try {
      if (permits.tryAcquire(max.toNanos(), TimeUnit.NANOSECONDS)) {
        permits.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
