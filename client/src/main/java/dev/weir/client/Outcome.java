package dev.weir.client;

/** What is known about a call that failed. */
public enum Outcome {
  /** Nothing was done. */
  NONE,
  /**
   * It may have been done, because its answer was lost. Repeat it with the same id, which does
   * nothing twice.
   */
  UNKNOWN
}
