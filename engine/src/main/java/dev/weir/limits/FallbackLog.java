package dev.weir.limits;

import dev.weir.internal.Micros;

/**
 * A persistent log of the time until which a {@link Failover} of any node may have used its next
 * store: a node that did not use it, or that starts later, must not let the first store grant the
 * same again. Thread-safe.
 */
public interface FallbackLog {
  /** A log that records nothing. */
  FallbackLog NONE =
      new FallbackLog() {
        @Override
        public long usedUntilMicros() {
          return Micros.EARLIEST;
        }

        @Override
        public void uses(long untilMicros) {}
      };

  /** Returns the latest time that any node recorded; {@link Micros#EARLIEST} for none. */
  long usedUntilMicros();

  /**
   * Records a time, unless a later one is recorded.
   *
   * @throws dev.weir.StoreException if it cannot be written
   */
  void uses(long untilMicros);
}
