package dev.weir.client;

/** Who made a decision about a limit. */
public enum Mode {
  /** The store, as usual. */
  STORE,
  /** Another store in place of one that does not answer. */
  FALLBACK,
  /** The node by its own share, without the store. */
  LOCAL,
  /** Nothing: the store does not answer, and everything is granted. */
  OPEN,
  /** Nothing: the store does not answer, and nothing is granted. */
  CLOSED,
  /** Nothing: the rule is not active. */
  INACTIVE
}
