package dev.weir.store.redis;

import dev.weir.internal.Micros;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/**
 * The clock that decisions use: Redis' own, so that skew between nodes does not matter. Tests
 * replace it.
 */
@FunctionalInterface
interface StoreClock {
  StoreClock REDIS = () -> "";

  static StoreClock of(InstantSource clock) {
    return () -> Long.toString(Micros.ceil(clock.instant()));
  }

  /** Returns the time as the scripts expect it: empty for Redis' own clock. */
  String micros();

  default byte[] argument() {
    return micros().getBytes(StandardCharsets.US_ASCII);
  }
}
