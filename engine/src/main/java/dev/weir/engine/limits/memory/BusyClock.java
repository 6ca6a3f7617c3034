package dev.weir.engine.limits.memory;

import dev.weir.core.Micros;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The clock of this process, never stepping backwards, with a second reading that is cheap while it
 * is asked very often.
 *
 * <p>To ask the machine for the time takes longer than a whole decision in memory. So while the
 * cheap reading is asked more than {@value #BUSY} times in a {@value #TICK_MICROS} µs, a thread
 * notes the time that often; it ends as soon as there is less to do, and nobody has to stop it. The
 * cheap reading is late by a tick then, by more if the machine does not let that thread run, and
 * never early. Thread-safe.
 */
public final class BusyClock {
  static final long TICK_MICROS = 500;
  static final int BUSY = 50;

  /** So often the thread stops to see whether it is still worth its while. */
  static final int TICKS = 2_000;

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final LongSupplier exactMicros;
  private final boolean mayTick;
  // Both are read by every caller and written twice a millisecond at most.
  private volatile long tickedMicros = UNKNOWN;
  private volatile boolean isTicking;

  // Counted without care: it is only a guess whether many are asking.
  private long countedFromMicros;
  private int counted;

  BusyClock() {
    this(sinceStart(), true);
  }

  private BusyClock(LongSupplier exactMicros, boolean mayTick) {
    this.exactMicros = exactMicros;
    this.mayTick = mayTick;
  }

  BusyClock(LongSupplier exactMicros) {
    this(exactMicros, true);
  }

  /** A clock that is always exact. */
  static BusyClock exact(LongSupplier nowMicros) {
    return new BusyClock(nowMicros, false);
  }

  public static LongSupplier sinceStart() {
    long startMicros = Micros.ceil(Instant.now());
    long startNanos = System.nanoTime();
    return () -> startMicros + (System.nanoTime() - startNanos) / 1_000;
  }

  long exactMicros() {
    return exactMicros.getAsLong();
  }

  /** The time, perhaps a tick late. */
  long cheapMicros() {
    long ticked = tickedMicros;
    return ticked == UNKNOWN ? exactAndCounted() : ticked;
  }

  boolean isTicking() {
    return isTicking;
  }

  private long exactAndCounted() {
    long now = exactMicros();
    if (now - countedFromMicros >= TICK_MICROS) {
      countedFromMicros = now;
      counted = 0;
    } else if (++counted == BUSY && mayTick) {
      startTicking();
    }
    return now;
  }

  private void startTicking() {
    synchronized (this) {
      if (isTicking) {
        return;
      }
      isTicking = true;
    }
    Thread.ofPlatform().daemon().name("weir-clock").start(this::tick);
  }

  private void tick() {
    try {
      for (int ticks = 0; ticks < TICKS; ticks++) {
        tickedMicros = exactMicros();
        LockSupport.parkNanos(TICK_MICROS * 1_000);
      }
    } finally {
      tickedMicros = UNKNOWN;
      isTicking = false;
    }
  }
}
