package dev.weir.engine.slots;

/** What an attempt to assign slots waits for. */
public enum Patience {
  /** For nothing but the store's answers. */
  NONE,

  /** For other transactions to let go of a configuration. */
  FOR_LOCKS
}
