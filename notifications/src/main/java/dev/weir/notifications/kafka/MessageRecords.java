package dev.weir.notifications.kafka;

import dev.weir.notifications.messages.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** Marks a record of which only the beginning was kept, because it was too large. */
  public static final String SHORTENED = "weir-shortened";

  private static final Pattern VALUE = Pattern.compile("([0-9]+): (.*)", Pattern.DOTALL);
  private static final int USER = 1;
  private static final int TEXT = 2;

  private MessageRecords() {}

  public static ProducerRecord<byte[], byte[]> encode(String topic, Message message) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, bytes(Long.toString(message.userId())), message.payload());
    record.headers().add(MESSAGE_ID, bytes(message.id().toString()));
    record.headers().add(PARTS, bytes(Integer.toString(message.parts())));
    return record;
  }

  /** What a record is. */
  public sealed interface Decoded {}

  /** The message of a record. */
  public record Content(Message message) implements Decoded {}

  /** A record that is no message. */
  public record NoMessage(String reason) implements Decoded {}

  /**
   * Returns what a record is. A record of another producer may have neither an id nor a number of
   * parts. Its id is derived from its position, so that it is the same for each time that the
   * record is read; its parts are counted.
   *
   * @param countParts returns the number of parts of a text, or throws an {@link
   *     IllegalArgumentException} that says what is wrong with it
   */
  public static Decoded decode(
      ConsumerRecord<byte[], byte[]> record, ToIntFunction<String> countParts) {
    if (isShortened(record.headers())) {
      return new NoMessage("only its beginning was kept");
    }
    byte[] payload = record.value();
    if (payload == null) {
      return new NoMessage("it has no value");
    }
    String value;
    try {
      value = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return new NoMessage("its value is not UTF-8");
    }
    Matcher form = VALUE.matcher(value);
    if (!form.matches()) {
      return new NoMessage("its value is not a user id, a colon, a space and a text");
    }
    if (form.group(TEXT).isBlank()) {
      return new NoMessage("its text is blank");
    }
    try {
      return new Content(
          new Message(
              id(record),
              Long.parseLong(form.group(USER)),
              form.group(TEXT),
              parts(record).orElseGet(() -> countParts.applyAsInt(form.group(TEXT)))));
    } catch (IllegalArgumentException e) {
      return new NoMessage(
          e instanceof NumberFormatException
              ? "its user id or its number of parts is not in range"
              : String.valueOf(e.getMessage()));
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

  private static Optional<Integer> parts(ConsumerRecord<byte[], byte[]> record) {
    return header(record.headers(), PARTS).map(Integer::parseInt);
  }

  /** Returns true if a record has only the beginning of what it had. */
  public static boolean isShortened(Headers headers) {
    return headers.lastHeader(SHORTENED) != null;
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
