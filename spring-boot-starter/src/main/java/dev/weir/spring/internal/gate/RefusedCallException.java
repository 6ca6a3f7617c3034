package dev.weir.spring.internal.gate;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.rules.text.RateLimitFields;
import dev.weir.spring.RateLimitedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is thrown for a refused call: with the response to the request that made the call. */
public final class RefusedCallException extends RateLimitedException {
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

  /** Only for the response to a request, hence not serialized with the exception. */
  private final transient Admission.Refused admission;

  public RefusedCallException(String rule, Duration retryAfter, Admission.Refused admission) {
    super(rule, retryAfter);
    this.admission = admission;
  }

  /** Returns the exception of a call about which a rule cannot decide now. */
  public static RefusedCallException undecided(String rule, StoreException cause) {
    List<Admission.Field> fields = new ArrayList<>();
    RateLimitFields.addRetryAfter(
        (name, value) -> fields.add(new Admission.Field(name, value)), Micros.PER_SECOND);
    RefusedCallException exception =
        new RefusedCallException(
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
  public static @Nullable RefusedCallException in(Throwable failure) {
    Throwable inner = failure;
    for (int depth = 0; depth < MAX_DEPTH && inner != null; depth++) {
      if (inner instanceof RefusedCallException refusal) {
        return refusal;
      }
      inner = TRANSPORTS.contains(inner.getClass().getName()) ? inner.getCause() : null;
    }
    return null;
  }

  public Admission.Refused admission() {
    return admission;
  }
}
