package dev.weir.testing;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock that stands still until a test moves it, forward or backward. Thread-safe.
 *
 * <pre>{@code
 * TestClock clock = TestClock.at("2026-06-01T12:00:00Z");
 * Limiter limiter = Limiter.inMemory(clock);
 * clock.advance(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>{@code Limiter.inMemory}, {@code Leases.inMemory} and {@code SlotScheduler.inMemory} take it,
 * and so does {@link TestRules}. What waits, such as {@code Limiter.acquire} with a maximum wait,
 * waits in real time: it does not notice that this clock moves until its pause is over.
 */
public final class TestClock implements InstantSource {
  private volatile Instant time;

  private TestClock(Instant time) {
    this.time = requireNonNull(time, "time");
  }

  /** Returns a clock that stands at a time. */
  public static TestClock at(Instant time) {
    return new TestClock(time);
  }

  /** Returns a clock that stands at an ISO-8601 time, such as {@code 2026-06-01T12:00:00Z}. */
  public static TestClock at(String time) {
    return new TestClock(Instant.parse(time));
  }

  @Override
  public Instant instant() {
    return time;
  }

  /** Moves the clock to a time, which may be an earlier one. */
  public synchronized void set(Instant other) {
    time = requireNonNull(other, "time");
  }

  /**
   * Advances the clock by a step, which may be negative, and returns the time that it then shows.
   */
  public synchronized Instant advance(Duration step) {
    Instant now = time.plus(step);
    time = now;
    return now;
  }

  @Override
  public String toString() {
    return "test clock at " + time;
  }
}
