package dev.weir.notifications.kafka;

import dev.weir.engine.notifications.Message;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Messages as records: the key is the user's id in decimal digits, so that the messages of a user
 * are in one partition; the value is {@code userId: text} in UTF-8; headers have the id of the
 * message and its number of parts.
 */
public final class MessageRecords {
  public static final String MESSAGE_ID = "weir-message-id";
  public static final String PARTS = "weir-message-parts";

  private static final String SEPARATOR = ": ";

  private MessageRecords() {}

  public static ProducerRecord<byte[], byte[]> encode(String topic, Message message) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, bytes(Long.toString(message.userId())), message.payload());
    record.headers().add(MESSAGE_ID, bytes(message.id().toString()));
    record.headers().add(PARTS, bytes(Integer.toString(message.parts())));
    return record;
  }

  /**
   * Returns the message of a record; empty if the record is no message. A record without an id, by
   * another producer, has one that is derived from its position, so that it is the same for each
   * time that the record is read.
   */
  public static Optional<Message> decode(ConsumerRecord<byte[], byte[]> record) {
    byte[] payload = record.value();
    if (payload == null) {
      return Optional.empty();
    }
    String value = new String(payload, StandardCharsets.UTF_8);
    int separator = value.indexOf(SEPARATOR);
    if (separator < 1) {
      return Optional.empty();
    }
    try {
      long userId = Long.parseLong(value.substring(0, separator));
      String text = value.substring(separator + SEPARATOR.length());
      return Optional.of(new Message(id(record), userId, text, parts(record)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static UUID id(ConsumerRecord<byte[], byte[]> record) {
    return header(record.headers(), MESSAGE_ID)
        .map(UUID::fromString)
        .orElseGet(
            () ->
                UUID.nameUUIDFromBytes(
                    bytes(record.topic() + "/" + record.partition() + "/" + record.offset())));
  }

  private static int parts(ConsumerRecord<byte[], byte[]> record) {
    return header(record.headers(), PARTS).map(Integer::parseInt).orElse(1);
  }

  /** Returns the last value of a header. */
  public static Optional<String> header(Headers headers, String name) {
    @Nullable Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), StandardCharsets.UTF_8));
  }

  /** Returns the bytes of a key, a value or a header. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
