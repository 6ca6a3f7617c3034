package dev.weir.engine.slots;

/** What an attempt to assign slots waits for. */
public enum WaitMode {
  /** For nothing but the store's answers. */
  NONE,

  /** For other transactions to let go of a configuration. */
  FOR_LOCKS,

  /** For the windows of the past to be counted as well, so that all demands keep their order. */
  FOR_ALL
}
