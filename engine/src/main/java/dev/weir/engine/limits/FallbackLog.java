package dev.weir.engine.limits;

import dev.weir.core.Micros;

/**
 * Remembers, beyond the end of the process, until when a {@link Failover} may have asked its next
 * store: a node that starts later must not let the first store grant the same again. Thread-safe.
 */
public interface FallbackLog {
  /** Remembers nothing. */
  FallbackLog NONE =
      new FallbackLog() {
        @Override
        public long usedUntilMicros() {
          return Micros.EARLIEST;
        }

        @Override
        public void uses(long untilMicros) {}
      };

  /** The latest time that was remembered by any node; {@link Micros#EARLIEST} for none. */
  long usedUntilMicros();

  /**
   * Remembers a time, unless a later one is remembered.
   *
   * @throws dev.weir.engine.StoreException if that cannot be written
   */
  void uses(long untilMicros);
}
