package dev.weir.core.slots;

/** How the events of a window are spread inside it. */
public enum Spread {
  /** On the places of {@link Places}: any interval holds hardly more than its share. */
  EVEN,
  /** At a uniformly random time: the rate is kept on average only. */
  RANDOM
}
