package dev.weir.engine.slots;

/**
 * What a ledger makes of a demand without waiting: the answer, or what it would have to wait for.
 */
public sealed interface AssignReply permits Assignment, AssignReply.Deferred {

  /** Nothing was done for the demand. */
  enum Deferred implements AssignReply {
    /** Another transaction holds the configuration. */
    LOCKED,

    /**
     * The windows from the requested time on have yet to be counted, because the configuration has
     * changed since that time. See {@link SlotLedger#assign}.
     */
    UNCOUNTED
  }
}
