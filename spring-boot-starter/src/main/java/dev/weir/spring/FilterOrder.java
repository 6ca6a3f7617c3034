package dev.weir.spring;

import java.util.stream.Stream;
import org.springframework.core.Ordered;

/** The position of the filters that decide. */
final class FilterOrder {
  /** After filters that observe requests, so that they see refusals; before all that do work. */
  private static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

  private FilterOrder() {}

  /**
   * Returns the earliest position after filters that change the method of a request by a form
   * field: a rule for that method would be evaded before them.
   */
  static int after(Stream<?> methodFilters) {
    return methodFilters
        .filter(Ordered.class::isInstance)
        .mapToInt(filter -> ((Ordered) filter).getOrder() + 1)
        .reduce(EARLY, Math::max);
  }
}
