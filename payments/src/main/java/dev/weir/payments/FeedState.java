package dev.weir.payments;

/** The state of a feed. */
public enum FeedState {
  /** Its records are being received. Nothing is paid before all of them are stored. */
  RECEIVING,
  /** Its payments get their slots and are handed to Temporal. */
  STARTING,
  /** All of its payments are handed to Temporal. */
  STARTED,
  /** All of its payments have ended. */
  DONE
}
