package dev.weir.limits;

/** The result of a refund. */
public enum Refund {
  /** The granted units were given back, as far as their window has not ended. */
  GIVEN_BACK,
  /** The request id is unknown, or no longer known; nothing was given back. */
  UNKNOWN,
  /** The request id belongs to a different request; nothing was given back. */
  REUSED
}
