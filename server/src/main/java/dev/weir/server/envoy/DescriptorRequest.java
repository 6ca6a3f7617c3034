package dev.weir.server.envoy;

import dev.weir.rules.RuleCheck;
import java.util.List;

/**
 * The request of one descriptor.
 *
 * @param checks the checks against active, counting rules, each with key and cost; empty if no rule
 *     applies. The cost is 1 for {@link Kind#PEEK}; for {@link Kind#REFUSE} it is at most the max
 *     that could ever be granted
 */
record DescriptorRequest(Kind kind, List<RuleCheck> checks) {
  /** A descriptor that matches no rule; it is allowed. */
  static final DescriptorRequest UNKNOWN = new DescriptorRequest(Kind.TAKE, List.of());

  /** The operation that the descriptor requests. */
  enum Kind {
    /** Take the cost if it is available. */
    TAKE,
    /** Check whether anything is left, without taking it. */
    PEEK,
    /** Give back what was taken. */
    GIVE_BACK,
    /** Refuse: it can never pass. */
    REFUSE
  }
}
