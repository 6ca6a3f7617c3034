package dev.weir.notifications;

import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.messages.Message;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads records of messages. */
public final class DecodedRecord {
  private DecodedRecord() {}

  /** Returns the message of a record that is one. */
  public static Message message(ConsumerRecord<byte[], byte[]> record) {
    return switch (decode(record)) {
      case MessageRecords.Content content -> content.message();
      case MessageRecords.NoMessage none -> throw new AssertionError(none.reason());
    };
  }

  /** Returns what a record is, as the sender reads it. */
  public static MessageRecords.Decoded decode(ConsumerRecord<byte[], byte[]> record) {
    return MessageRecords.decode(record, text -> MessageParts.of(text).count());
  }
}
