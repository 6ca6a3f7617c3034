package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.Micros;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The callers of one limiter that wait for units. Thread-safe.
 *
 * <p>Those that wait for the same limits and keys stand in a line: only the first one asks the
 * store, when its last refusal says that there may be units. So a store is asked as often by many
 * waiting callers as by one, and none is overtaken by a later one. Callers that do not wait, and
 * other nodes, may take what a line is waiting for.
 */
final class WaitingCallers {
  /** So that a store that refuses without naming a time is not asked without a pause. */
  private static final long MIN_PAUSE_NANOS = 1_000_000;

  private final Map<List<String>, Line> lines = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;
  private final Pause pause;

  /** Waits for some time. */
  @FunctionalInterface
  interface Pause {
    /** Waits. */
    void sleep(long nanos) throws InterruptedException;
  }

  /** Those that wait for the same limits and keys; the one at the front holds the lock. */
  private static final class Line {
    final ReentrantLock front = new ReentrantLock(true);

    /** The callers that are in the line or about to join it; changed within the map only. */
    int callers;
  }

  WaitingCallers() {
    this(System::nanoTime, TimeUnit.NANOSECONDS::sleep);
  }

  WaitingCallers(LongSupplier nanoTime, Pause pause) {
    this.nanoTime = nanoTime;
    this.pause = pause;
  }

  /**
   * Repeats an attempt until it is granted or cannot be granted in time.
   *
   * @throws InterruptedException if the caller is interrupted while waiting
   */
  AcquireResult acquire(AcquireRequest request, Duration maxWait, Supplier<AcquireResult> attempt)
      throws InterruptedException {
    if (requireNonNull(maxWait, "maxWait").isNegative()) {
      throw new IllegalArgumentException("maxWait must not be negative, but is " + maxWait);
    }
    long maxNanos = TimeUnit.MICROSECONDS.toNanos(Micros.saturated(maxWait));
    long begin = nanoTime.getAsLong();
    List<String> name = nameOf(request);
    Line line = join(name);
    try {
      boolean isFirst = line.front.tryLock(maxNanos, TimeUnit.NANOSECONDS);
      try {
        return isFirst ? atFront(begin, maxNanos, attempt) : attempt.get();
      } finally {
        if (isFirst) {
          line.front.unlock();
        }
      }
    } finally {
      leave(name);
    }
  }

  private AcquireResult atFront(long begin, long maxNanos, Supplier<AcquireResult> attempt)
      throws InterruptedException {
    while (true) {
      AcquireResult result = attempt.get();
      // An unknown outcome is not repeated: it would take the units twice without a request id.
      if (result.isAllowed() || result.isReused() || result.isOutcomeUnknown()) {
        return result;
      }
      long left = maxNanos - (nanoTime.getAsLong() - begin);
      long wait =
          Math.max(
              TimeUnit.MICROSECONDS.toNanos(Micros.saturated(result.retryAfter())),
              MIN_PAUSE_NANOS);
      if (wait > left) {
        return result;
      }
      pause.sleep(wait);
    }
  }

  private static List<String> nameOf(AcquireRequest request) {
    return request.parts().stream()
        .flatMap(part -> List.of(part.policy().name(), part.key()).stream())
        .toList();
  }

  private Line join(List<String> name) {
    return requireNonNull(
        lines.compute(
            name,
            (same, line) -> {
              Line joined = line == null ? new Line() : line;
              joined.callers++;
              return joined;
            }));
  }

  private void leave(List<String> name) {
    lines.computeIfPresent(name, (same, line) -> --line.callers == 0 ? null : line);
  }

  /** Returns the number of lines. */
  int lines() {
    return lines.size();
  }
}
