package dev.weir.limits;

import dev.weir.StoreException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * A store behind a {@link CircuitBreaker}: calls report to the breaker whether the store works.
 * Thread-safe.
 */
final class GuardedStore<S> {
  private final String name;
  private final S store;
  private final LimitObserver observer;
  private final CircuitBreaker breaker;

  GuardedStore(
      String name,
      S store,
      CircuitBreaker.Settings settings,
      LimitObserver observer,
      LongSupplier nowMicros) {
    this.name = name;
    this.store = store;
    this.observer = observer;
    this.breaker =
        new CircuitBreaker(
            settings,
            nowMicros,
            () -> ThreadLocalRandom.current().nextLong(),
            state -> observer.breakerChanged(name, state));
  }

  String name() {
    return name;
  }

  S store() {
    return store;
  }

  CircuitBreaker breaker() {
    return breaker;
  }

  /**
   * Calls the store and reports the result to the breaker.
   *
   * @param isProof returns true if the result proves that the store works. Other results do not end
   *     a series of failures: a store may respond to reads, and refuse requests that take nothing,
   *     while it fails at every grant
   */
  <T> T call(Function<S, T> operation, Predicate<? super T> isProof) {
    try {
      T result = operation.apply(store);
      if (isProof.test(result)) {
        breaker.succeeded();
      }
      return result;
    } catch (StoreException e) {
      if (e.isFull()) {
        // The store is healthy, and continues with the keys that it has.
        breaker.succeeded();
      } else {
        observer.storeFailed(name, e);
        breaker.failed();
      }
      throw e;
    } catch (IllegalArgumentException | Error e) {
      // An error of the caller, or of this process, such as a heap that is full. It says nothing
      // about the store.
      breaker.notCalled();
      throw e;
    } catch (RuntimeException e) {
      breaker.failed();
      throw e;
    }
  }

  /** Returns the failure of a request that was not sent because the breaker is open. */
  StoreException unavailable() {
    return new StoreException(name, StoreException.Outcome.NONE, name + " is unavailable");
  }
}
