package dev.weir.engine.limits;

/** What became of a refund. */
public enum Refund {
  /** What was granted is given back, as far as its window has not passed. */
  GIVEN_BACK,
  /** The request id is not known, or not any more; nothing is given back. */
  UNKNOWN,
  /** The request id belongs to another request; nothing is given back. */
  REUSED
}
