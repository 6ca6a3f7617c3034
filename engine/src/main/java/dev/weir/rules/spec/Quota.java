package dev.weir.rules.spec;

import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Limit;
import dev.weir.limits.Queue;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/** What a rule allows. */
public sealed interface Quota {
  /** A number of units per time, with an optional queue beyond it. */
  record Rate(Limit limit, QueueSettings queueSettings) implements Quota {
    public static Rate of(Limit limit) {
      return new Rate(limit, QueueSettings.NONE);
    }
  }

  /** A number of concurrent requests. */
  record Concurrent(Concurrency concurrency) implements Quota {
    /** The minimum time to live, long enough for the forwarding node to renew the lease in time. */
    public static final Duration MIN_LEASE = Duration.ofSeconds(1);

    public Concurrent {
      RuleField.LEASE_TTL.require(Micros.duration(concurrency.ttlMicros()));
    }
  }

  /**
   * The queue beyond a limit.
   *
   * @param isEnabled false to switch the queue off while keeping its settings
   */
  record QueueSettings(boolean isEnabled, int maxSize, long delayMillis) {
    public static final int MAX_SIZE = 100_000;

    public static final long MAX_DELAY_MILLIS = 30_000;

    public static final QueueSettings NONE = new QueueSettings(false, 0, 100);

    public QueueSettings {
      RuleField.MAX_QUEUE_SIZE.require(BigDecimal.valueOf(maxSize));
      RuleField.DELAY_PER_REQUEST_MS.require(BigDecimal.valueOf(delayMillis));
    }

    /** Returns the queue; empty if it is switched off or has no places. */
    public Optional<Queue> queue() {
      return isEnabled && maxSize > 0
          ? Optional.of(Queue.of(maxSize, Duration.ofMillis(delayMillis)))
          : Optional.empty();
    }
  }
}
