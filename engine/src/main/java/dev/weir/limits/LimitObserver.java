package dev.weir.limits;

import dev.weir.StoreException;

/**
 * Receives the decisions of limits, for metrics. Called frequently and by many threads, so it must
 * be quick.
 */
public interface LimitObserver {
  /** An observer that does nothing. */
  LimitObserver NONE = new LimitObserver() {};

  /** Called for each decided part of a request. */
  default void decided(Policy policy, Outcome outcome, AcquireResult.Mode mode) {}

  /** Called for a decision that is only a yes or no. */
  default void taken(Policy policy, boolean isAllowed) {}

  /** Called for a repeated request, for which nothing was taken. */
  default void replayed() {}

  /**
   * Called if a store does not respond and the policies' {@link OnStoreFailure} applies instead.
   */
  default void storeFailed(String store, StoreException failure) {}

  /** Called if a store is not called for a while, or is called again. */
  default void breakerChanged(String store, CircuitBreaker.State state) {}
}
