package dev.weir.store.surrealdb;

import dev.weir.internal.Micros;
import java.time.InstantSource;
import java.util.Map;

/**
 * The clock that decisions use: SurrealDB's own, so that skew between nodes does not matter. Tests
 * replace it.
 */
@FunctionalInterface
interface StoreClock {
  StoreClock SURREALDB = parameters -> {};

  static StoreClock of(InstantSource clock) {
    return parameters -> parameters.put("now", Micros.ceil(clock.instant()));
  }

  /** Adds the time to the parameters of a call, unless SurrealDB's own clock is meant. */
  void addTo(Map<String, Object> parameters);
}
