package dev.weir.spring;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.rules.text.RateLimitFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  private static final int MAX_DEPTH = 16;

  /** By name, because not every service has all of them. */
  private static final Set<String> TRANSPORTS =
      Set.of(
          "jakarta.servlet.ServletException",
          "java.lang.reflect.InvocationTargetException",
          "java.lang.reflect.UndeclaredThrowableException",
          "java.util.concurrent.CompletionException",
          "java.util.concurrent.ExecutionException");

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
            rule,
            Duration.ofSeconds(1),
            new Admission.Refused(fields, Problem.undecided(cause.outcome())));
    exception.initCause(cause);
    return exception;
  }

  /**
   * Returns the refusal in a failure: itself, or what it wraps if it only transports an exception
   * of a filter or of another thread; null if there is none.
   */
  static @Nullable RateLimitedException in(Throwable failure) {
    Throwable inner = failure;
    for (int depth = 0; depth < MAX_DEPTH && inner != null; depth++) {
      if (inner instanceof RateLimitedException refusal) {
        return refusal;
      }
      inner = TRANSPORTS.contains(inner.getClass().getName()) ? inner.getCause() : null;
    }
    return null;
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
