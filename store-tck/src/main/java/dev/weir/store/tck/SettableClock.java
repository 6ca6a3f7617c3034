package dev.weir.store.tck;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test moves it, forward or backward. Thread-safe. */
public final class SettableClock implements InstantSource {
  private volatile Instant time;

  public SettableClock(Instant time) {
    this.time = time;
  }

  @Override
  public Instant instant() {
    return time;
  }

  public void set(Instant other) {
    time = other;
  }

  /** Moves on by {@code step}, which may be negative. One thread at a time may move a clock. */
  public void move(Duration step) {
    set(time.plus(step));
  }
}
