package dev.weir.spring.internal.methods;

import dev.weir.rules.Ticket;
import dev.weir.spring.RateLimited;
import dev.weir.spring.internal.gate.Admission;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;

/**
 * Evaluates the rule of a {@link RateLimited} method before each call. Thread-safe.
 *
 * <p>Its dependencies are resolved on the first call: it is created before other beans, which would
 * otherwise be created too early to be intercepted themselves.
 */
public final class RateLimitedInterceptor implements MethodInterceptor {
  private final Supplier<LimitedMethods> methods;
  private final Supplier<MethodGate> gate;

  public RateLimitedInterceptor(Supplier<LimitedMethods> methods, Supplier<MethodGate> gate) {
    this.methods = methods;
    this.gate = gate;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    Object target = call.getThis();
    LimitedMethod limited =
        methods.get().find(call.getMethod(), target == null ? null : target.getClass());
    ReactiveAdapter reactive = limited.reactive();
    return reactive == null
        ? invoke(call, limited)
        : ReactiveCall.of(call, limited, gate.get()).result(reactive);
  }

  private @Nullable Object invoke(MethodInvocation call, LimitedMethod limited) throws Throwable {
    MethodGate current = gate.get();
    Admission admission = current.admit(limited.rule(), limited.key().key(call.getArguments()));
    Ticket ticket = admission.ticket();
    boolean isUnderWay = false;
    try {
      if (admission instanceof Admission.Queued queued) {
        sleep(queued, limited.rule());
      }
      Object result = call.proceed();
      if (result instanceof CompletionStage<?> stage && !ticket.isEmpty()) {
        isUnderWay = true;
        return heldBy(stage, () -> current.end(ticket), call.getMethod().getReturnType());
      }
      return result;
    } finally {
      if (!isUnderWay) {
        current.end(ticket);
      }
    }
  }

  private static void sleep(Admission.Queued queued, String rule) {
    try {
      Thread.sleep(queued.delay());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while waiting for rule \"" + rule + "\"");
      cancelled.initCause(e);
      throw cancelled;
    }
    queued.ticket().waited();
  }

  /**
   * Returns a stage that completes after the ticket is released, so that a caller that sees the
   * completion can acquire it. The ticket stays held while the work continues, even if the caller
   * cancels.
   */
  private static Object heldBy(CompletionStage<?> stage, Runnable giveBack, Class<?> type) {
    CompletableFuture<Object> seen = new CompletableFuture<>();
    var unused =
        stage.whenComplete(
            (value, failure) -> {
              try {
                giveBack.run();
              } finally {
                if (failure == null) {
                  seen.complete(value);
                } else {
                  seen.completeExceptionally(failure);
                }
              }
            });
    if (!type.isAssignableFrom(CompletableFuture.class)) {
      // The method returns a custom type of stage.
      return stage;
    }
    if (stage instanceof Future<?> work) {
      cancelWith(seen, work);
    }
    return seen;
  }

  private static void cancelWith(CompletableFuture<?> seen, Future<?> work) {
    var unused =
        seen.whenComplete(
            (value, failure) -> {
              if (seen.isCancelled()) {
                work.cancel(true);
              }
            });
  }
}
