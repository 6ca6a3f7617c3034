package dev.weir.notifications.sender;

import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * The topic of records that could not be delivered: as they were, with headers that say why.
 * Thread-safe.
 */
final class DeadLetters {
  static final String REASON = "weir-reason";
  static final String ATTEMPTS = "weir-attempts";
  static final String PROVIDER = "weir-provider";
  static final String FAILED_AT = "weir-failed-at";

  /** The id of the attempt in the log that was the last; absent if there was none. */
  static final String FAILED_ATTEMPT = "weir-failed-attempt";

  private static final int MAX_SHORTENED_BYTES = 4096;

  private final Producer<byte[], byte[]> producer;
  private final String topic;

  DeadLetters(Producer<byte[], byte[]> producer, String topic) {
    this.producer = producer;
    this.topic = topic;
  }

  /**
   * How a record was tried.
   *
   * @param count of attempts
   * @param attempt id of the last one in the log; empty if there was none
   */
  record Tried(int count, Optional<UUID> attempt) {
    static final Tried NOT = new Tried(0, Optional.empty());
  }

  /**
   * Adds a record and waits until the broker has it.
   *
   * @throws KafkaUnavailableException if it may not have it
   */
  void add(OutboundRecord outbound, String reason, Tried tried, String provider, Instant at) {
    ConsumerRecord<byte[], byte[]> record = outbound.record();
    ProducerRecord<byte[], byte[]> letter =
        new ProducerRecord<>(topic, null, record.key(), record.value(), record.headers());
    letter
        .headers()
        .remove(REASON)
        .remove(ATTEMPTS)
        .remove(PROVIDER)
        .remove(FAILED_AT)
        .remove(FAILED_ATTEMPT);
    letter
        .headers()
        .add(REASON, MessageRecords.bytes(reason))
        .add(ATTEMPTS, MessageRecords.bytes(Integer.toString(tried.count())))
        .add(PROVIDER, MessageRecords.bytes(provider))
        .add(FAILED_AT, MessageRecords.bytes(at.toString()));
    tried
        .attempt()
        .ifPresent(id -> letter.headers().add(FAILED_ATTEMPT, MessageRecords.bytes(id.toString())));
    try {
      send(letter);
    } catch (KafkaException | ExecutionException e) {
      throw new KafkaUnavailableException("the dead letter was not taken: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("interrupted", e);
    }
  }

  /**
   * Sends a letter. A record that others wrote may be so large that there is no room for the
   * headers; it would never fit, so its beginning is kept.
   */
  private void send(ProducerRecord<byte[], byte[]> letter)
      throws ExecutionException, InterruptedException {
    try {
      producer.send(letter).get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof RecordTooLargeException)) {
        throw e;
      }
      producer.send(shortened(letter)).get();
    }
  }

  private static ProducerRecord<byte[], byte[]> shortened(ProducerRecord<byte[], byte[]> letter) {
    ProducerRecord<byte[], byte[]> shorter =
        new ProducerRecord<>(
            letter.topic(), null, shortened(letter.key()), shortened(letter.value()));
    for (String name : List.of(REASON, ATTEMPTS, PROVIDER, FAILED_AT)) {
      shorter.headers().add(name, shortened(letter.headers().lastHeader(name).value()));
    }
    shorter.headers().add(MessageRecords.SHORTENED, MessageRecords.bytes("true"));
    return shorter;
  }

  private static byte @Nullable [] shortened(byte @Nullable [] bytes) {
    return bytes == null || bytes.length <= MAX_SHORTENED_BYTES
        ? bytes
        : Arrays.copyOf(bytes, MAX_SHORTENED_BYTES);
  }
}
