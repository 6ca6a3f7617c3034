package dev.weir.internal;

import java.time.Instant;
import java.util.function.LongSupplier;

/** The clock of this process, which never steps backwards. */
public final class SteadyClock {
  private SteadyClock() {}

  /**
   * Returns a clock in microseconds since the epoch: the time of this call plus the time elapsed
   * since.
   */
  public static LongSupplier sinceStart() {
    long startMicros = Micros.ceil(Instant.now());
    long startNanos = System.nanoTime();
    return () -> startMicros + (System.nanoTime() - startNanos) / 1_000;
  }
}
