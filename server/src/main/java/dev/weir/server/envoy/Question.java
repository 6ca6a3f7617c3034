package dev.weir.server.envoy;

import dev.weir.engine.rules.RuleCheck;
import java.util.List;

/**
 * What one descriptor asks.
 *
 * @param asked so much of rules that are active and count, for keys; none if it speaks of no rule.
 *     One that only looks asks for 1, one that can never pass for not more than could ever be
 *     granted
 */
record Question(Kind kind, List<RuleCheck> asked) {
  /** It speaks of nothing that we know, and is let pass. */
  static final Question UNKNOWN = new Question(Kind.TAKE, List.of());

  /** What is to be done. */
  enum Kind {
    /** To take what is asked, if it is there. */
    TAKE,
    /** To see whether anything is left. */
    LOOK,
    /** To give back what was taken. */
    GIVE_BACK,
    /** Nothing: it can never pass. */
    REFUSE
  }
}
