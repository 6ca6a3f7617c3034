package dev.weir.spring;

import dev.weir.engine.limits.CircuitBreaker;
import dev.weir.engine.limits.LimitObserver;
import dev.weir.engine.rules.RuleObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Is told what happens to requests, for metrics. */
interface FlowObserver extends RuleObserver, LimitObserver {
  /** Counts nothing. */
  FlowObserver NONE = new FlowObserver() {};

  /** Told to the log as well: until then, limits held. */
  @Override
  default void breakerChanged(String store, CircuitBreaker.State state) {
    Logger log = LoggerFactory.getLogger(FlowObserver.class);
    switch (state) {
      case OPEN -> log.warn("The store of {} does not answer and is given up for a while", store);
      case CLOSED -> log.info("The store of {} answers again", store);
      case HALF_OPEN -> {}
    }
  }

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
