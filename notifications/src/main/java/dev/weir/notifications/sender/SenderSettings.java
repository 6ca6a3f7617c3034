package dev.weir.notifications.sender;

import dev.weir.engine.limits.Limiter;
import dev.weir.engine.limits.Policy;
import java.time.Duration;
import java.util.Optional;

/**
 * How a sender works.
 *
 * @param group the consumer group; senders of one group share the messages
 * @param maxInFlight maximum number of messages that the provider has at a time
 * @param maxBuffered reading pauses while this number of records were read and are not done; a poll
 *     may add as many again
 * @param rate limit on the parts of messages that the provider is handed
 * @param kafkaTimeout maximum time for an answer of Kafka
 * @param maxRevocation how long a partition that goes to another sender waits for messages that are
 *     in progress; should be longer than the provider's time-out
 */
public record SenderSettings(
    String group,
    int maxInFlight,
    int maxBuffered,
    RetryPolicy retries,
    Optional<Rate> rate,
    Duration kafkaTimeout,
    Duration maxRevocation) {
  public static final SenderSettings DEFAULT =
      new SenderSettings(
          "weir-sender",
          64,
          2_000,
          RetryPolicy.DEFAULT,
          Optional.empty(),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  /** A limit that a limiter counts, by the name of the provider. */
  public record Rate(Limiter limiter, Policy policy) {}

  public SenderSettings {
    if (maxInFlight < 1 || maxBuffered < maxInFlight) {
      throw new IllegalArgumentException(
          "maxInFlight must be at least 1 and not above maxBuffered, not %d and %d"
              .formatted(maxInFlight, maxBuffered));
    }
  }

  public SenderSettings withGroup(String other) {
    return new SenderSettings(
        other, maxInFlight, maxBuffered, retries, rate, kafkaTimeout, maxRevocation);
  }

  public SenderSettings withRetries(RetryPolicy other) {
    return new SenderSettings(
        group, maxInFlight, maxBuffered, other, rate, kafkaTimeout, maxRevocation);
  }

  public SenderSettings withRate(Rate other) {
    return new SenderSettings(
        group, maxInFlight, maxBuffered, retries, Optional.of(other), kafkaTimeout, maxRevocation);
  }

  public SenderSettings withMaxBuffered(int other) {
    return new SenderSettings(
        group, Math.min(maxInFlight, other), other, retries, rate, kafkaTimeout, maxRevocation);
  }
}
