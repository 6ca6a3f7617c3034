package dev.weir.limits;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Decides in place of a store that is unavailable, as the strictest policy of a request defines.
 * Thread-safe.
 */
final class StoreSubstitute {
  private final CircuitBreaker breaker;
  private final Optional<LimitStore> fallback;
  private final FallbackSwitch fallbackSwitch;
  private final LocalShare local;
  private final Consumer<StoreException> fallbackFailed;
  private final LongSupplier nowMicros;

  /**
   * Creates a substitute.
   *
   * @param breaker the breaker of the store
   * @param fallbackFailed receives the failures of the fallback
   */
  StoreSubstitute(
      CircuitBreaker breaker,
      Optional<LimitStore> fallback,
      FallbackSwitch fallbackSwitch,
      LocalShare local,
      Consumer<StoreException> fallbackFailed,
      LongSupplier nowMicros) {
    this.breaker = breaker;
    this.fallback = fallback;
    this.fallbackSwitch = fallbackSwitch;
    this.local = local;
    this.fallbackFailed = fallbackFailed;
    this.nowMicros = nowMicros;
  }

  /** An operation of a store. */
  enum Operation {
    DECIDE,
    PEEK;

    AcquireResult run(LimitStore store, AcquireRequest request) {
      return switch (this) {
        case DECIDE -> store.decide(request);
        case PEEK -> store.peek(request);
      };
    }
  }

  /** Returns the strictest behaviour that a policy of the request defines. */
  private static OnStoreFailure strictest(AcquireRequest request) {
    OnStoreFailure strictest = OnStoreFailure.OPEN;
    for (LimitRequest part : request.parts()) {
      OnStoreFailure onFailure = part.policy().onStoreFailure();
      strictest = onFailure.compareTo(strictest) < 0 ? onFailure : strictest;
    }
    return strictest;
  }

  AcquireResult run(Operation operation, AcquireRequest request) {
    return switch (strictest(request)) {
      case CLOSED -> refused(request);
      case FALLBACK ->
          fallback.isEmpty() || !breaker.isOpen()
              ? refused(request)
              : byFallback(fallback.get(), operation, request);
      case LOCAL ->
          local
              .run(request, operation::run)
              .orElseGet(() -> refused(request).in(AcquireResult.Mode.LOCAL));
      case OPEN -> allowed(request);
    };
  }

  private AcquireResult byFallback(LimitStore next, Operation operation, AcquireRequest request) {
    long openedAtMicros = breaker.changedAtMicros();
    long lacksMicros = fallbackSwitch.fallbackLacksMicros(request, openedAtMicros);
    if (lacksMicros > 0) {
      return refused(request, lacksMicros);
    }
    try {
      if (operation == Operation.DECIDE) {
        fallbackSwitch.useFallback();
        if (!breaker.isOpen()) {
          // The store has recovered meanwhile: other requests may have used it without seeing this
          // one.
          return refused(request);
        }
      }
      AcquireResult result =
          operation == Operation.DECIDE ? decide(next, request) : operation.run(next, request);
      if (operation == Operation.DECIDE && isLate(result, openedAtMicros)) {
        var unused = next.refund(request, result.decidedAt());
        return refused(request);
      }
      return result.mode() == AcquireResult.Mode.STORE
          ? result.in(AcquireResult.Mode.FALLBACK)
          : result;
    } catch (StoreException e) {
      fallbackFailed.accept(e);
      return refused(request).afterFailure(e);
    }
  }

  /** The call may take long, and the fallback may grant at its end. */
  private AcquireResult decide(LimitStore next, AcquireRequest request) {
    AcquireResult result;
    try {
      result = next.decide(request);
    } finally {
      fallbackSwitch.usesFallback();
    }
    if (result.isAllowed()) {
      return StoreException.afterDone(
          () -> {
            fallbackSwitch.useFallback();
            return result;
          });
    }
    return result;
  }

  /**
   * Returns true if something was taken from the fallback, but the store has recovered during the
   * call. The store refuses for some time after the call began. It may have taken longer, so that
   * both would grant.
   */
  private boolean isLate(AcquireResult result, long openedAtMicros) {
    return result.isAllowed()
        && !result.isReplayed()
        && (!breaker.isOpen() || breaker.changedAtMicros() != openedAtMicros);
  }

  private AcquireResult refused(AcquireRequest request) {
    return refused(request, breaker.retryAfterMicros());
  }

  AcquireResult refused(AcquireRequest request, long waitMicros) {
    Outcome refused = new Decision.Refused(0, waitMicros, waitMicros);
    return result(Collections.nCopies(request.parts().size(), refused), AcquireResult.Mode.CLOSED);
  }

  private AcquireResult allowed(AcquireRequest request) {
    List<Outcome> outcomes = new ArrayList<>(request.parts().size());
    for (LimitRequest part : request.parts()) {
      outcomes.add(new Decision.Allowed(part.policy().limit().maxCost() - part.cost(), 0));
    }
    return result(outcomes, AcquireResult.Mode.OPEN);
  }

  private AcquireResult result(List<Outcome> outcomes, AcquireResult.Mode mode) {
    return new AcquireResult(outcomes, Micros.instant(nowMicros.getAsLong()), mode);
  }

  /** Returns the result that the local counters have recorded, under {@code LOCAL} only. */
  Optional<AcquireResult> recall(AcquireRequest request) {
    return switch (strictest(request)) {
      case CLOSED, OPEN, FALLBACK -> Optional.empty();
      case LOCAL -> local.recall(request);
    };
  }

  /** Refunds what was granted in place of the store. */
  Refund refund(AcquireRequest request, AcquireResult granted) {
    return switch (granted.mode()) {
      case FALLBACK ->
          fallback.map(next -> next.refund(request, granted.decidedAt())).orElse(Refund.UNKNOWN);
      case LOCAL -> local.refund(request, granted.decidedAt());
      case STORE, OPEN, CLOSED -> Refund.UNKNOWN;
    };
  }

  void forget(Policy policy, String key) {
    local.forget(policy, key);
  }

  /** Settles what was counted in place of the store. */
  void settle(Policy policy) {
    local.settle(policy);
    fallback.ifPresent(next -> next.settle(policy));
  }

  void settle(Policy policy, String key) {
    local.settle(policy, key);
    fallback.ifPresent(next -> next.settle(policy, key));
  }

  void close() {
    fallback.ifPresent(LimitStore::close);
    local.close();
  }
}
