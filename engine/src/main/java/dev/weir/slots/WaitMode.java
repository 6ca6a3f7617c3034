package dev.weir.slots;

/** What an attempt to assign slots waits for. */
public enum WaitMode {
  /** Only for the store's responses. */
  NONE,

  /** For other transactions to release a configuration. */
  FOR_LOCKS,

  /** Also for past windows to be counted, so that all requests keep their order. */
  FOR_ALL
}
