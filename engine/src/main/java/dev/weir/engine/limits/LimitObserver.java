package dev.weir.engine.limits;

import dev.weir.core.limits.Outcome;
import dev.weir.engine.StoreException;

/** Is told what limits decide, for metrics. Called often and by many threads: must be quick. */
public interface LimitObserver {
  /** Watches nothing. */
  LimitObserver NONE = new LimitObserver() {};

  /** An ask was decided; several of one demand are told one by one. */
  default void decided(Policy policy, Outcome outcome, AcquireResult.Mode mode) {}

  /** An ask was answered by yes or no. */
  default void taken(Policy policy, boolean isAllowed) {}

  /** A demand was repeated, and nothing was taken. */
  default void replayed() {}

  /** A store did not answer, and what its policies say of that was done instead. */
  default void storeFailed(String store, StoreException failure) {}

  /** A store is given up for a while, or is asked again. */
  default void breakerChanged(String store, CircuitBreaker.State state) {}
}
