package dev.weir.store.redis;

import dev.weir.core.Micros;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/**
 * Which time counts: Redis' own, so that skew between nodes cannot matter. Tests put theirs in its
 * place.
 */
@FunctionalInterface
interface StoreClock {
  StoreClock OF_REDIS = () -> "";

  static StoreClock of(InstantSource clock) {
    return () -> Long.toString(Micros.ceil(clock.instant()));
  }

  /** The time as scripts want it: empty for Redis' own. */
  String micros();

  default byte[] argument() {
    return micros().getBytes(StandardCharsets.US_ASCII);
  }
}
