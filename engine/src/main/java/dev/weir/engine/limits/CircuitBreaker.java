package dev.weir.engine.limits;

import dev.weir.core.Micros;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Keeps a dead store from costing every request a time-out: after a few failures in a row nobody
 * asks it for a while, then a single one tries.
 *
 * <p>The pauses grow up to a bound, and are shortened by chance by up to a half, so that nodes do
 * not all try at the same moment. Nobody has to close it again. Thread-safe.
 */
public final class CircuitBreaker {
  /** How it stands. */
  public enum State {
    /** The store is asked. */
    CLOSED,
    /** Nobody asks it. */
    OPEN,
    /** One has gone to see; the others do not ask. */
    HALF_OPEN
  }

  /**
   * When to give up and when to try again.
   *
   * @param failures so many in a row
   */
  public record Settings(int failures, Duration firstPause, Duration longestPause) {
    public static final Settings DEFAULT =
        new Settings(3, Duration.ofMillis(200), Duration.ofSeconds(5));

    public Settings {
      if (failures < 1) {
        throw new IllegalArgumentException("failures must be at least 1, not " + failures);
      }
      if (!firstPause.isPositive() || longestPause.compareTo(firstPause) < 0) {
        throw new IllegalArgumentException(
            "pauses must be positive and growing, not %s to %s"
                .formatted(firstPause, longestPause));
      }
    }
  }

  private final Settings settings;
  private final LongSupplier nowMicros;
  private final RandomGenerator random;
  private final Consumer<State> onChange;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean isUndisturbed = true;
  private State state = State.CLOSED;
  private int failuresInARow;
  private long pauseMicros;
  private long tryAtMicros;
  private volatile long changedAtMicros = Micros.EARLIEST;

  /**
   * A closed one.
   *
   * @param nowMicros a clock that never steps backwards
   * @param onChange is told, under a lock: must be quick
   */
  public CircuitBreaker(
      Settings settings, LongSupplier nowMicros, RandomGenerator random, Consumer<State> onChange) {
    this.settings = settings;
    this.nowMicros = nowMicros;
    this.random = random;
    this.onChange = onChange;
  }

  /** Whether the caller may ask the store; whoever may has to tell how it went. */
  public boolean mayTry() {
    if (isUndisturbed) {
      return true;
    }
    lock.lock();
    try {
      return switch (state) {
        case CLOSED -> true;
        case HALF_OPEN -> false;
        case OPEN -> {
          boolean isTime = nowMicros.getAsLong() >= tryAtMicros;
          if (isTime) {
            become(State.HALF_OPEN);
          }
          yield isTime;
        }
      };
    } finally {
      lock.unlock();
    }
  }

  /** The store has answered. */
  public void succeeded() {
    if (isUndisturbed) {
      return;
    }
    lock.lock();
    try {
      // A late answer from before it was given up proves nothing; the one that tries will tell.
      if (state != State.OPEN) {
        failuresInARow = 0;
        pauseMicros = 0;
        if (state == State.HALF_OPEN) {
          changedAtMicros = nowMicros.getAsLong();
          become(State.CLOSED);
        }
        isUndisturbed = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The store has not answered. */
  public void failed() {
    lock.lock();
    try {
      isUndisturbed = false;
      failuresInARow++;
      switch (state) {
        case OPEN -> {}
        case HALF_OPEN -> open();
        case CLOSED -> {
          if (failuresInARow >= settings.failures()) {
            changedAtMicros = nowMicros.getAsLong();
            open();
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The store was not asked after all: neither a success nor a failure, so another may try. */
  public void notAsked() {
    if (isUndisturbed) {
      return;
    }
    lock.lock();
    try {
      if (state == State.HALF_OPEN) {
        tryAtMicros = nowMicros.getAsLong();
        become(State.OPEN);
      }
    } finally {
      lock.unlock();
    }
  }

  private void open() {
    long first = Micros.floor(settings.firstPause());
    long longest = Micros.floor(settings.longestPause());
    pauseMicros = Math.min(longest, Math.max(first, 2 * pauseMicros));
    tryAtMicros = nowMicros.getAsLong() + pauseMicros - random.nextLong(pauseMicros / 2 + 1);
    become(State.OPEN);
  }

  private void become(State next) {
    state = next;
    onChange.accept(next);
  }

  /** Whether the store has been given up and has not been found well again. */
  boolean isOpen() {
    if (isUndisturbed) {
      return false;
    }
    lock.lock();
    try {
      return state != State.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  /** When it was given up last, or found well again. */
  long changedAtMicros() {
    return changedAtMicros;
  }

  /** After this time the store will be tried; at least a moment. */
  public long retryAfterMicros() {
    lock.lock();
    try {
      long wait = state == State.OPEN ? tryAtMicros - nowMicros.getAsLong() : 0;
      return Math.max(wait, Micros.floor(settings.firstPause()));
    } finally {
      lock.unlock();
    }
  }
}
