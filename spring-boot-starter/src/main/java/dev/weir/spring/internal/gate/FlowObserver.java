package dev.weir.spring.internal.gate;

import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.LimitObserver;
import dev.weir.rules.RuleObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives the results of requests, for metrics. */
public interface FlowObserver extends RuleObserver, LimitObserver {
  /** Ignores everything. */
  FlowObserver NONE = new FlowObserver() {};

  /** Logs the change as well, because from then on limits may not be enforced. */
  @Override
  default void breakerChanged(String store, CircuitBreaker.State state) {
    Logger log = LoggerFactory.getLogger(FlowObserver.class);
    switch (state) {
      case OPEN -> log.warn("The store of {} does not answer and is not used for a while", store);
      case CLOSED -> log.info("The store of {} answers again", store);
      case HALF_OPEN -> {}
    }
  }

  /** Called after a remote Weir was consulted about a request. */
  default void remoteDecided(Outcome outcome) {}

  /** The result of a remote Weir. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** There was no response, or no usable one. */
    FAILED
  }
}
