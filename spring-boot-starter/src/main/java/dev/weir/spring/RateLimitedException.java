package dev.weir.spring;

import dev.weir.core.internal.Micros;
import dev.weir.engine.StoreException;
import dev.weir.engine.rules.RateLimitFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Thrown instead of calling a {@link RateLimited} method if its rule refuses the call.
 *
 * <p>In a web application without a handler for it, the response is 429 with {@code Retry-After}
 * and the rate limit fields, as for a request that the rule of a path refuses. If the rule cannot
 * be evaluated now, because the store in memory is full, this exception has a cause, and the
 * response is 503.
 */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String rule;
  private final Duration retryAfter;

  /** Only for the response to a request, hence not serialized with the exception. */
  private final transient Admission.Refused admission;

  RateLimitedException(String rule, Duration retryAfter, Admission.Refused admission) {
    // Without the key, which may identify the caller.
    super("Rule \"%s\" refuses the call; retry after %s".formatted(rule, retryAfter));
    this.rule = rule;
    this.retryAfter = retryAfter;
    this.admission = admission;
  }

  /** Returns the exception of a call about which a rule cannot decide now. */
  static RateLimitedException undecided(String rule, StoreException cause) {
    List<Admission.Field> fields = new ArrayList<>();
    RateLimitFields.addRetryAfter(
        (name, value) -> fields.add(new Admission.Field(name, value)), Micros.PER_SECOND);
    RateLimitedException exception =
        new RateLimitedException(
            rule, Duration.ofSeconds(1), new Admission.Refused(fields, Problem.undecided()));
    exception.initCause(cause);
    return exception;
  }

  /** Returns the name of the rule that refused. */
  public String rule() {
    return rule;
  }

  /** Returns how long to wait until the rule would allow the call, if no others are made. */
  public Duration retryAfter() {
    return retryAfter;
  }

  Admission.Refused admission() {
    return admission;
  }
}
