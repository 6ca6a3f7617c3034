package dev.weir.limits;

/**
 * What a policy does while its store is unavailable, the strictest first: of several policies in
 * one request, the strictest applies to all.
 */
public enum OnStoreFailure {
  /** Refuse. */
  CLOSED,
  /** Use the next store; refuse if there is none, or if it is unavailable as well. */
  FALLBACK,
  /** Each node enforces its share in memory. */
  LOCAL,
  /** Allow. */
  OPEN
}
