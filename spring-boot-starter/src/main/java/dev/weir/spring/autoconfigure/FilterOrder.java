package dev.weir.spring.autoconfigure;

import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.springframework.core.Ordered;

/** The position of the filters that decide. */
final class FilterOrder {
  /** After filters that observe requests, so that they see refusals; before all that do work. */
  private static final int EARLY = Ordered.HIGHEST_PRECEDENCE + 10;

  private FilterOrder() {}

  /** Returns the position of a filter; empty if none can be after it. */
  static OptionalInt of(Object filter) {
    return filter instanceof Ordered ordered && ordered.getOrder() < Ordered.LOWEST_PRECEDENCE
        ? OptionalInt.of(ordered.getOrder())
        : OptionalInt.empty();
  }

  /**
   * Returns the earliest position after filters that change the method of a request by a form
   * field: a rule for that method would be evaded before them.
   */
  static int after(IntStream methodFilters) {
    return methodFilters.map(order -> order + 1).reduce(EARLY, Math::max);
  }
}
