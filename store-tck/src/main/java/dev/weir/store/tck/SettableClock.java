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

  /** Advances by {@code step}, which may be negative. Only one thread at a time may do this. */
  public void move(Duration step) {
    set(time.plus(step));
  }
}
