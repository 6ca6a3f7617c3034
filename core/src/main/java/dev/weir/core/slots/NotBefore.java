package dev.weir.core.slots;

/** The time before which no event of a configuration is scheduled. */
public enum NotBefore {
  /** The requested time, even if it has passed. */
  REQUESTED,
  /** The requested time or now, whichever is later. */
  NOW
}
