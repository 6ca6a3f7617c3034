package dev.weir.limits.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock that is held while a few entries change, or while a small array is copied: a waiting
 * thread spins for a while before it parks. Not reentrant.
 */
final class SpinLock {
  private static final VarHandle LOCKED;

  static {
    try {
      LOCKED = MethodHandles.lookup().findVarHandle(SpinLock.class, "locked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int SPINS = 200;
  private static final long PARK_NANOS = 20_000;

  @SuppressWarnings("UnusedVariable") // accessed by its handle
  private boolean locked;

  boolean tryLock() {
    return LOCKED.compareAndSet(this, false, true);
  }

  void lock() {
    for (int tries = 0; !(isUnlocked() && tryLock()); tries++) {
      awaitNextTry(tries);
    }
  }

  private boolean isUnlocked() {
    return !(boolean) LOCKED.getOpaque(this);
  }

  void unlock() {
    LOCKED.setRelease(this, false);
  }

  /** Waits for a moment, and longer after many tries. */
  static void awaitNextTry(int tries) {
    if (isWorthSpinning(tries)) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PARK_NANOS);
    }
  }

  /** Returns true if spinning is still cheaper than parking. */
  static boolean isWorthSpinning(int tries) {
    return tries < SPINS;
  }
}
