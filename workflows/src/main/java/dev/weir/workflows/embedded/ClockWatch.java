package dev.weir.workflows.embedded;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Notices that the clock of this machine was set ahead or back, by comparing it with the time that
 * has elapsed. It looks often, because a clock may be wrong for a moment only.
 */
final class ClockWatch implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  /** More than the clock is corrected by between two looks, unless it is set. */
  private static final long MAX_STEP_MILLIS = 1_000;

  /** After a longer pause between reading two clocks, they are not comparable. */
  private static final long MAX_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  private static final long MILLI_NANOS = 1_000_000;

  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Thread thread;

  /** How far the clock is ahead of the elapsed time, at the last look. */
  private long aheadMillis;

  private volatile boolean wasSet;

  ClockWatch(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.aheadMillis = clock.millis() - nanoTime.getAsLong() / MILLI_NANOS;
    this.thread = Thread.ofVirtual().name("weir-clock-watch").unstarted(this::run);
  }

  static ClockWatch start(InstantSource clock, LongSupplier nanoTime) {
    ClockWatch watch = new ClockWatch(clock, nanoTime);
    watch.thread.start();
    return watch;
  }

  /** Returns true if the clock was ever set since the start. */
  boolean wasSet() {
    return wasSet;
  }

  private void run() {
    while (!wasSet && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      look();
    }
  }

  /** Compares the clock with the elapsed time, since the look before. */
  void look() {
    long beforeNanos = nanoTime.getAsLong();
    long millis = clock.millis();
    if (nanoTime.getAsLong() - beforeNanos > MAX_PAUSE_NANOS) {
      return;
    }
    long ahead = millis - beforeNanos / MILLI_NANOS;
    if (Math.abs(ahead - aheadMillis) > MAX_STEP_MILLIS) {
      wasSet = true;
    }
    aheadMillis = ahead;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
