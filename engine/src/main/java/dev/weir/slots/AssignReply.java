package dev.weir.slots;

/**
 * A ledger's reply to a request that it may not wait for: the assignment, or what it would have to
 * wait for.
 */
public sealed interface AssignReply permits Assignment, AssignReply.Deferred {

  /** The request was not processed. */
  enum Deferred implements AssignReply {
    /** Another transaction holds the configuration. */
    LOCKED,

    /**
     * The windows from the requested time on have not been counted yet, because the configuration
     * has changed since that time. See {@link SlotLedger#assign}.
     */
    UNCOUNTED
  }
}
