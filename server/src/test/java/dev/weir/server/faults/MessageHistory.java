package dev.weir.server.faults;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What was seen of messages: what callers asked and were answered, and, after everything has
 * recovered, what is counted, on the topic, and delivered. Every text belongs to one message that a
 * caller wanted to send; only requests with one idempotency key share a text.
 *
 * @param topic in the order of each partition
 * @param delivered the texts that the sender has handed over, in its order
 */
record MessageHistory(
    List<Attempt> attempts,
    List<User> users,
    List<Counted> counted,
    List<OnTopic> topic,
    List<Delivered> delivered) {

  /** A request, and what its caller knows about it. */
  record Attempt(
      long userId,
      Optional<String> key,
      String text,
      Verdict verdict,
      long beganNanos,
      long endedNanos) {}

  /** What a caller knows about a request. */
  sealed interface Verdict {
    /** 200. */
    record Sent(UUID messageId) implements Verdict {}

    /** Refused: over the limit, or with the outcome {@code none}. */
    record Refused(int status) implements Verdict {}

    /** No answer, or the outcome {@code unknown}. */
    record Unknown(String why) implements Verdict {}
  }

  /**
   * A user, as the database has it.
   *
   * @param limits every limit that the user has had, by its version
   */
  record User(
      long userId,
      Map<Long, Long> limits,
      long windowMicros,
      long version,
      long windowBeganMicros,
      long used) {}

  /** A message that is counted. */
  record Counted(
      UUID messageId,
      long userId,
      Optional<String> key,
      String text,
      long cost,
      long takenAtMicros,
      long version) {}

  /** A record of the topic. */
  record OnTopic(int partition, long offset, long userId, UUID messageId, String text) {}

  /** A message that the sender has handed over. */
  record Delivered(long userId, String text) {}
}
