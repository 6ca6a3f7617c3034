package dev.weir.spring;

import java.time.Duration;

/**
 * Thrown in place of a call that a {@link RateLimited} method's rule refuses. The method has not
 * been called.
 *
 * <p>In a web application without a handler for it, it is answered with 429, {@code Retry-After}
 * and the rate limit fields, as a request that is refused by a path's rule.
 */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String rule;
  private final Duration retryAfter;

  /** Only for the answer to a request, hence not kept when the exception is sent elsewhere. */
  private final transient Admission.Refused answer;

  RateLimitedException(String rule, Duration retryAfter, Admission.Refused answer) {
    // Without the key, which may say who the caller is.
    super("Rule \"%s\" refuses the call; retry after %s".formatted(rule, retryAfter));
    this.rule = rule;
    this.retryAfter = retryAfter;
    this.answer = answer;
  }

  /** Returns the name of the rule that refused. */
  public String rule() {
    return rule;
  }

  /** Returns how long to wait until the rule would allow the call, if no others are made. */
  public Duration retryAfter() {
    return retryAfter;
  }

  Admission.Refused answer() {
    return answer;
  }
}
