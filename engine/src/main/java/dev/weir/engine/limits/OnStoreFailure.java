package dev.weir.engine.limits;

/**
 * What a policy says when its store is gone, the strictest first: of several policies in one
 * demand, the strictest holds for all.
 */
public enum OnStoreFailure {
  /** Refuse. */
  CLOSED,
  /** Ask the next store; refuse if there is none, or if it is gone as well. */
  FALLBACK,
  /** Each node enforces its share from memory. */
  LOCAL,
  /** Let pass. */
  OPEN
}
