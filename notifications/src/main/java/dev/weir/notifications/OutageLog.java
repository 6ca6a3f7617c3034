package dev.weir.notifications;

import dev.weir.limits.CircuitBreaker;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs an outage of the hot counts once, however often they are tried meanwhile. */
final class OutageLog implements Consumer<CircuitBreaker.State> {
  private static final Logger log = LoggerFactory.getLogger(OutageLog.class);

  /** Accessed under the breaker's lock only. */
  private boolean isDown;

  @Override
  public void accept(CircuitBreaker.State state) {
    switch (state) {
      case OPEN -> {
        if (!isDown) {
          isDown = true;
          log.warn("The store of hot counts is down, the database decides about every message");
        }
      }
      case CLOSED -> {
        isDown = false;
        log.info("The store of hot counts is back");
      }
      case HALF_OPEN -> {}
    }
  }
}
