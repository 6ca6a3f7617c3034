package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Queue;
import java.time.Duration;
import java.util.Optional;

/** What a rule allows. */
public sealed interface Quota {
  /** So much in so much time; beyond it one may wait. */
  record Rate(Limit limit, Waiting waiting) implements Quota {
    public static Rate of(Limit limit) {
      return new Rate(limit, Waiting.NONE);
    }
  }

  /** So many at the same time. */
  record Together(Concurrency concurrency) implements Quota {
    /** Long enough to be renewed in time by whoever sends a request on. */
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    public Together {
      Duration lease = Micros.duration(concurrency.ttlMicros());
      if (lease.compareTo(SHORTEST_LEASE) < 0) {
        throw new IllegalArgumentException(
            "ttl must be at least %s, not %s".formatted(SHORTEST_LEASE, lease));
      }
    }
  }

  /**
   * How one may wait beyond a limit.
   *
   * @param isEnabled the sizes are kept while it is not
   */
  record Waiting(boolean isEnabled, int maxSize, long delayMillis) {
    public static final int MOST_WAITING = 100_000;

    public static final long LONGEST_DELAY_MILLIS = 30_000;

    public static final Waiting NONE = new Waiting(false, 0, 100);

    public Waiting {
      if (maxSize < 0 || maxSize > MOST_WAITING) {
        throw new IllegalArgumentException(
            "maxSize must be from 0 to %d, not %d".formatted(MOST_WAITING, maxSize));
      }
      if (delayMillis < 1 || delayMillis > LONGEST_DELAY_MILLIS) {
        throw new IllegalArgumentException(
            "delayMillis must be from 1 to %d, not %d"
                .formatted(LONGEST_DELAY_MILLIS, delayMillis));
      }
    }

    /** The queue, if anybody may wait in it. */
    public Optional<Queue> queue() {
      return isEnabled && maxSize > 0
          ? Optional.of(Queue.of(maxSize, Duration.ofMillis(delayMillis)))
          : Optional.empty();
    }
  }
}
