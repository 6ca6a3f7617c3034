package dev.weir.notifications.sender;

import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import java.time.Duration;
import java.util.Optional;

/**
 * How a sender works.
 *
 * @param group the consumer group; senders of one group share the messages
 * @param maxInFlight maximum number of messages that the provider has at a time; those of users
 *     that hang or fail have places of their own, four times as many
 * @param maxBuffered reading pauses while this number of records were read and are not done; a poll
 *     may add as many again
 * @param repetition what is done with a message whose hand-over has no answer
 * @param rate limit on the parts of messages that the provider is handed
 * @param kafkaTimeout maximum time for an answer of Kafka
 * @param recordTime how long a partition that goes to another sender waits, beyond the time that
 *     the provider may need for an answer, until the answers are recorded
 */
public record SenderSettings(
    String group,
    int maxInFlight,
    int maxBuffered,
    RetryPolicy retries,
    Repetition repetition,
    Optional<Rate> rate,
    Duration kafkaTimeout,
    Duration recordTime) {
  public static final SenderSettings DEFAULT =
      new SenderSettings(
          "weir-sender",
          64,
          2_000,
          RetryPolicy.DEFAULT,
          Repetition.AT_LEAST_ONCE,
          Optional.empty(),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  /** What is done with a message whose hand-over has no answer. */
  public enum Repetition {
    /** It is not repeated: right for a provider that cannot recognize a repetition. */
    AT_MOST_ONCE,
    /** It is repeated: right for a provider that recognizes a message by its id. */
    AT_LEAST_ONCE
  }

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
        other, maxInFlight, maxBuffered, retries, repetition, rate, kafkaTimeout, recordTime);
  }

  public SenderSettings withRetries(RetryPolicy other) {
    return new SenderSettings(
        group, maxInFlight, maxBuffered, other, repetition, rate, kafkaTimeout, recordTime);
  }

  public SenderSettings withRepetition(Repetition other) {
    return new SenderSettings(
        group, maxInFlight, maxBuffered, retries, other, rate, kafkaTimeout, recordTime);
  }

  public SenderSettings withRate(Rate other) {
    return new SenderSettings(
        group,
        maxInFlight,
        maxBuffered,
        retries,
        repetition,
        Optional.of(other),
        kafkaTimeout,
        recordTime);
  }

  public SenderSettings withMaxBuffered(int other) {
    return new SenderSettings(
        group,
        Math.min(maxInFlight, other),
        other,
        retries,
        repetition,
        rate,
        kafkaTimeout,
        recordTime);
  }

  public SenderSettings withRecordTime(Duration other) {
    return new SenderSettings(
        group, maxInFlight, maxBuffered, retries, repetition, rate, kafkaTimeout, other);
  }
}
