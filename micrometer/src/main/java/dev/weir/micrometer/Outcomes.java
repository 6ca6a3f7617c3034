package dev.weir.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** A counter for each outcome, which is a tag. */
final class Outcomes<E extends Enum<E>> {
  private final Map<E, Counter> counters;

  Outcomes(Class<E> outcomes, Counter.Builder counter, MeterRegistry registry) {
    this.counters = new EnumMap<>(outcomes);
    for (E outcome : outcomes.getEnumConstants()) {
      counters.put(outcome, counter.withRegistry(registry).withTag("outcome", word(outcome)));
    }
  }

  void count(E outcome) {
    Counter counter = counters.get(outcome);
    if (counter != null) {
      counter.increment();
    }
  }

  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
