package dev.weir.rules;

import dev.weir.limits.AcquireRequest;

/**
 * Thrown if more rules cover a request than can be decided together, {@link
 * AcquireRequest#MAX_PARTS}. Nothing was taken; the request must be refused.
 */
public final class TooManyRulesException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TooManyRulesException(int rules) {
    super(message(rules));
  }

  /** Returns what is wrong if {@code rules} rules cover a request. */
  public static String message(int rules) {
    return "%d rules cover the request, and up to %d can be decided together; narrow their patterns"
        .formatted(rules, AcquireRequest.MAX_PARTS);
  }
}
