package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A circuit breaker that keeps a failed store from costing every request a timeout: after a few
 * consecutive failures the store is not called for a pause, then a single caller tries it.
 *
 * <p>Pauses grow up to a maximum and are shortened randomly by up to a half, so that nodes do not
 * all try at the same moment. It closes again without intervention. Thread-safe.
 */
public final class CircuitBreaker {
  /** The state of a breaker. */
  public enum State {
    /** The store is called. */
    CLOSED,
    /** The store is not called. */
    OPEN,
    /** One caller is trying the store; others do not call it. */
    HALF_OPEN
  }

  /**
   * When to open the breaker and when to try the store again.
   *
   * @param failures the number of consecutive failures that opens the breaker
   */
  public record Settings(int failures, Duration firstPause, Duration maxPause) {
    private static final Duration MAX_PAUSE = Duration.ofDays(1);

    public static final Settings DEFAULT =
        new Settings(3, Duration.ofMillis(200), Duration.ofSeconds(5));

    public Settings {
      if (failures < 1) {
        throw new IllegalArgumentException("failures must be at least 1, not " + failures);
      }
      requireNonNull(firstPause, "firstPause");
      requireNonNull(maxPause, "maxPause");
      if (!firstPause.isPositive() || maxPause.compareTo(firstPause) < 0) {
        throw new IllegalArgumentException(
            "firstPause must be positive and not above maxPause, not %s and %s"
                .formatted(firstPause, maxPause));
      }
      if (maxPause.compareTo(MAX_PAUSE) > 0) {
        throw new IllegalArgumentException(
            "maxPause must be at most %s, not %s".formatted(MAX_PAUSE, maxPause));
      }
    }
  }

  private final Settings settings;
  private final LongSupplier nowMicros;
  private final RandomGenerator random;
  private final Consumer<State> onChange;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong failureCount = new AtomicLong();
  private volatile boolean isHealthy = true;
  private State state = State.CLOSED;
  private int consecutiveFailures;
  private long pauseMicros;
  private long tryAtMicros;
  private volatile long changedAtMicros = Micros.EARLIEST;

  /**
   * Creates a closed breaker.
   *
   * @param nowMicros a clock that never steps backwards
   * @param onChange receives each new state; called under a lock, so it must be quick
   */
  public CircuitBreaker(
      Settings settings, LongSupplier nowMicros, RandomGenerator random, Consumer<State> onChange) {
    this.settings = settings;
    this.nowMicros = nowMicros;
    this.random = random;
    this.onChange = onChange;
  }

  /**
   * Returns true if the caller may call the store. It then has to report the result by {@link
   * #succeeded}, {@link #failed} or {@link #notCalled}.
   */
  public boolean mayTry() {
    if (isHealthy) {
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
            moveTo(State.HALF_OPEN);
          }
          yield isTime;
        }
      };
    } finally {
      lock.unlock();
    }
  }

  /** Reports that the store has responded. */
  public void succeeded() {
    if (isHealthy) {
      return;
    }
    lock.lock();
    try {
      // A late response from before the breaker opened proves nothing; the next try decides.
      if (state != State.OPEN) {
        consecutiveFailures = 0;
        pauseMicros = 0;
        if (state == State.HALF_OPEN) {
          changedAtMicros = nowMicros.getAsLong();
          moveTo(State.CLOSED);
        }
        isHealthy = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Reports that the store has not responded. */
  public void failed() {
    failureCount.incrementAndGet();
    lock.lock();
    try {
      isHealthy = false;
      consecutiveFailures++;
      switch (state) {
        case OPEN -> {}
        case HALF_OPEN -> open();
        case CLOSED -> {
          if (consecutiveFailures >= settings.failures()) {
            changedAtMicros = nowMicros.getAsLong();
            open();
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports that the store was not called after all: neither a success nor a failure, so another
   * caller may try.
   */
  public void notCalled() {
    if (isHealthy) {
      return;
    }
    lock.lock();
    try {
      if (state == State.HALF_OPEN) {
        tryAtMicros = nowMicros.getAsLong();
        moveTo(State.OPEN);
      }
    } finally {
      lock.unlock();
    }
  }

  private void open() {
    long first = Micros.floor(settings.firstPause());
    long max = Micros.floor(settings.maxPause());
    pauseMicros = Math.min(max, Math.max(first, 2 * pauseMicros));
    tryAtMicros = nowMicros.getAsLong() + pauseMicros - random.nextLong(pauseMicros / 2 + 1);
    moveTo(State.OPEN);
  }

  private void moveTo(State next) {
    state = next;
    onChange.accept(next);
  }

  /** Returns true if the breaker has opened and the store has not recovered yet. */
  boolean isOpen() {
    if (isHealthy) {
      return false;
    }
    lock.lock();
    try {
      return state != State.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of failures since the breaker was created. */
  long failureCount() {
    return failureCount.get();
  }

  /** Returns the time at which the breaker last opened or closed again. */
  long changedAtMicros() {
    return changedAtMicros;
  }

  /** Returns the time after which the store will be tried, at least the first pause. */
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
