package dev.weir.rules.spec;

/** How a rule limits. */
public enum RuleAlgorithm {
  /** Up to {@code allowedRequests} in a window; the count restarts with each window. */
  FIXED_WINDOW,
  /**
   * Up to {@code allowedRequests} in a window that slides, approximately: up to nearly twice that
   * in the worst window.
   */
  SLIDING_WINDOW,
  /** A bucket of {@code capacity} tokens that is refilled steadily. */
  TOKEN_BUCKET,
  /** Up to {@code maxConcurrent} at the same time. */
  CONCURRENCY
}
