package dev.weir.spring;

import dev.weir.engine.limits.LimitObserver;
import dev.weir.engine.rules.RuleObserver;

/** Is told what happens to requests, for metrics. */
interface FlowObserver extends RuleObserver, LimitObserver {
  /** Watches nothing. */
  FlowObserver NONE = new FlowObserver() {};

  /** A Weir elsewhere was asked about a request. */
  default void asked(Outcome outcome) {}

  /** What a Weir elsewhere said. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** Nothing, or nothing of use. */
    FAILED
  }
}
