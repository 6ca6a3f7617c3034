package dev.weir.server.verify;

/** The invariants of slots, in the order of the specification. */
public enum Invariant {
  LIMIT(1, "no window holds more than the limit in force when its last event was assigned"),
  TIMES(2, "no event runs before its requested time, nor in closed or paused time"),
  ONE_SLOT(3, "one event id has one slot, however often and wherever it is requested"),
  EARLIEST(4, "no earlier window had a usable free place"),
  SPREAD(5, "any interval holds little more than its share of events"),
  KEPT(6, "every answer is on disk, and nothing is half done");

  private final int number;
  private final String claim;

  Invariant(int number, String claim) {
    this.number = number;
    this.claim = claim;
  }

  int number() {
    return number;
  }

  String claim() {
    return claim;
  }
}
