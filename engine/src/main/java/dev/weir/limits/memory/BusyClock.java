package dev.weir.limits.memory;

import dev.weir.internal.SteadyClock;
import dev.weir.limits.Limit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The clock of this process, which never steps backwards, with a second reading that is cheap under
 * load.
 *
 * <p>Reading the system clock takes longer than a whole in-memory decision. So while the cheap
 * reading is used more than {@value #BUSY} times in {@value #TICK_MICROS} µs, a thread records the
 * time once in that period; it ends as soon as the load falls, so it needs no shutdown. The cheap
 * reading is then up to one tick late, or more if that thread is not scheduled in time, and never
 * early. Thread-safe.
 */
final class BusyClock {
  static final long TICK_MICROS = 500;
  static final int BUSY = 50;

  /** The number of ticks after which the thread ends, unless the load starts it again. */
  static final int TICKS = 2_000;

  private static final long UNKNOWN = Long.MIN_VALUE;

  private final LongSupplier exactMicros;
  private final boolean mayTick;
  // Both are read by every caller and written at most twice a millisecond.
  private volatile long tickedMicros = UNKNOWN;
  private volatile boolean isTicking;

  // Not synchronized: an estimate of the load is sufficient.
  private long countedFromMicros;
  private int counted;

  BusyClock() {
    this(SteadyClock.sinceStart(), true);
  }

  private BusyClock(LongSupplier exactMicros, boolean mayTick) {
    this.exactMicros = exactMicros;
    this.mayTick = mayTick;
  }

  BusyClock(LongSupplier exactMicros) {
    this(exactMicros, true);
  }

  /** Returns a clock that is always exact. */
  static BusyClock exact(LongSupplier nowMicros) {
    return new BusyClock(nowMicros, false);
  }

  long exactMicros() {
    return exactMicros.getAsLong();
  }

  /** Returns the time, possibly one tick late. */
  long cheapMicros() {
    long ticked = tickedMicros;
    return ticked == UNKNOWN ? exactAndCounted() : ticked;
  }

  boolean isTicking() {
    return isTicking;
  }

  /**
   * Returns the time by which to decide on an entry that the caller holds: the clock is read again
   * if the entry is far ahead. The caller may have been paused since it read the clock, or have
   * read it late, and others have written the entry meanwhile. It would take their usage for the
   * trace of a clock that was wrong, see {@link Limit}, and move it back, so that what they took
   * would be restored too early.
   *
   * @param readMicros the time that was read before the entry was held
   * @param atMicros the time in the entry
   */
  long caughtUp(long readMicros, long atMicros) {
    return atMicros - readMicros > Limit.MAX_AHEAD_MICROS ? exactMicros() : readMicros;
  }

  /** Reads the clock before an entry is held. */
  Reading read() {
    return new Reading(this, exactMicros());
  }

  /** A time that was read before an entry was held. */
  record Reading(BusyClock clock, long micros) {
    /** Returns the time by which to decide on a usage, see {@link BusyClock#caughtUp}. */
    long caughtUpWith(long atMicros) {
      return clock.caughtUp(micros, atMicros);
    }
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
    try {
      Thread.ofPlatform().daemon().name("weir-clock").start(this::tick);
    } catch (RuntimeException | Error e) {
      // There is no memory for a thread: the next caller under load tries again.
      isTicking = false;
      throw e;
    }
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
