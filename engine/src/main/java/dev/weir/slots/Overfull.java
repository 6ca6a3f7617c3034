package dev.weir.slots;

/** What is done with adopted events for which their window has no place left. */
public enum Overfull {
  /** They are refused. */
  REFUSE,
  /**
   * They are counted all the same. Such a window gets no further event until it holds fewer than
   * its limit.
   */
  ACCEPT
}
