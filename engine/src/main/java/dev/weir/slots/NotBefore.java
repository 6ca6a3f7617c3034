package dev.weir.slots;

/** The earliest time at which an event of a configuration is scheduled. */
public enum NotBefore {
  /** The requested time, even if it has passed. */
  REQUESTED,
  /** The requested time or now, whichever is later. */
  NOW
}
