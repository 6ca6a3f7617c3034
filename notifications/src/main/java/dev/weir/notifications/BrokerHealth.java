package dev.weir.notifications;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the broker takes messages, as far as this node knows. After a failure, requests are
 * refused without taking a place, so that an outage leaves only those that were on their way with
 * an unknown outcome. The {@link Republisher} tries the broker, and ends the outage.
 *
 * <p>One log line for the beginning of an outage and one for its end. Thread-safe.
 */
public final class BrokerHealth {
  private static final Logger log = LoggerFactory.getLogger(BrokerHealth.class);

  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /** Returns true if the broker failed and has not taken a message since. */
  public boolean isDown() {
    return failure.get() != null;
  }

  /** Returns why the broker is down; empty if it is not. */
  public String reason() {
    String reason = failure.get();
    return reason == null ? "" : reason;
  }

  void failed(String reason) {
    if (failure.compareAndSet(null, reason)) {
      log.warn("Kafka does not take messages, so requests to send are refused: {}", reason);
    }
  }

  /** Notes a result that shows that the broker is down; others are ignored. */
  void failedBy(PublishResult result) {
    switch (result) {
      case PublishResult.Done done -> {}
      // Another message may be taken.
      case PublishResult.Rejected rejected -> {}
      case PublishResult.Refused refused -> failed(refused.reason());
      case PublishResult.Unknown unknown -> failed(unknown.reason());
    }
  }

  void recovered() {
    if (failure.getAndSet(null) != null) {
      log.info("Kafka takes messages again");
    }
  }
}
