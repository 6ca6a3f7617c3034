package dev.weir.spring;

import java.time.Duration;

/**
 * Thrown instead of calling a {@link RateLimited} method if its rule refuses the call.
 *
 * <p>In a web application without a handler for it, the response is 429 with {@code Retry-After}
 * and the rate limit fields, as for a request that the rule of a path refuses. If the rule cannot
 * be evaluated now, because the store in memory is full, this exception has a cause, and the
 * response is 503.
 */
public abstract class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String rule;
  private final Duration retryAfter;

  /** Creates the exception of a refused call. */
  protected RateLimitedException(String rule, Duration retryAfter) {
    // Without the key, which may identify the caller.
    super("Rule \"%s\" refuses the call; retry after %s".formatted(rule, retryAfter));
    this.rule = rule;
    this.retryAfter = retryAfter;
  }

  /** Returns the name of the rule that refused. */
  public final String rule() {
    return rule;
  }

  /** Returns how long to wait until the rule would allow the call, if no others are made. */
  public final Duration retryAfter() {
    return retryAfter;
  }
}
