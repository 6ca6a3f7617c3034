package dev.weir.notifications.sender;

import dev.weir.notifications.MessageParts;
import dev.weir.notifications.kafka.MessageRecords;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that was read from a partition that is assigned to this sender.
 *
 * @param offsets where it is marked when it is done; used by the consumer's thread only
 */
record OutboundRecord(
    Assignment assignment, OffsetTracker offsets, ConsumerRecord<byte[], byte[]> record) {
  /** The header of records that come from the dead letters. */
  static final String REPLAYED = "weir-replayed";

  /** What keeps its order: the records of a key, in a partition. */
  record Lane(int partition, int key) {}

  /** Returns the lane; keys with the same hash share one, which costs them time only. */
  Lane lane() {
    return new Lane(record.partition(), Arrays.hashCode(record.key()));
  }

  /** Lets the other records of its lane wait in the topic while it pauses. */
  void putAside() {
    assignment.putAside(lane());
  }

  /** Returns the message, or why the record is none. */
  MessageRecords.Decoded content() {
    return MessageRecords.decode(record, text -> MessageParts.of(text).count());
  }

  /**
   * The failure that a letter is about.
   *
   * @param at by the clock of the node
   * @param attempt id of the attempt that has failed; empty if the letter does not say it
   */
  record Failure(Instant at, Optional<UUID> attempt) {}

  /**
   * Returns how the message failed, if an operator wants it to be tried again; empty otherwise. A
   * letter that does not say when failed before it was replayed.
   */
  Optional<Failure> failureToRepeat() {
    if (record.headers().lastHeader(REPLAYED) == null) {
      return Optional.empty();
    }
    Instant at =
        MessageRecords.header(record.headers(), DeadLetters.FAILED_AT)
            .flatMap(OutboundRecord::time)
            .orElseGet(() -> Instant.ofEpochMilli(record.timestamp()));
    return Optional.of(
        new Failure(
            at,
            MessageRecords.header(record.headers(), DeadLetters.FAILED_ATTEMPT)
                .flatMap(OutboundRecord::id)));
  }

  private static Optional<UUID> id(String text) {
    try {
      return Optional.of(UUID.fromString(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<Instant> time(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
