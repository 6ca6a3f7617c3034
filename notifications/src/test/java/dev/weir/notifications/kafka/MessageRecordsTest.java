package dev.weir.notifications.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.DecodedRecord;
import dev.weir.notifications.messages.Message;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Records of other producers. */
final class MessageRecordsTest {
  @Test
  void partsOfARecordWithoutTheHeaderAreCounted() {
    Message message = DecodedRecord.message(record("24: " + "x".repeat(161)));
    assertThat(message.userId()).isEqualTo(24);
    assertThat(message.parts()).isEqualTo(2);
    assertThat(DecodedRecord.message(record("24: " + "x".repeat(161)))).isEqualTo(message);
  }

  @Test
  void textMayContainTheSeparatorAndLineBreaks() {
    assertThat(DecodedRecord.message(record("0: a: b\nc")).text()).isEqualTo("a: b\nc");
    assertThat(DecodedRecord.message(record(Long.MAX_VALUE + ":  x")).text()).isEqualTo(" x");
  }

  @Test
  void recordThatIsNoMessageSaysWhy() {
    String form = "its value is not a user id, a colon, a space and a text";
    Map.of(
            "-5: text",
            form,
            "+5: text",
            form,
            "5:text",
            form,
            ": text",
            form,
            "24: ",
            "its text is blank",
            "24:  \n",
            "its text is blank",
            "99999999999999999999: x",
            "its user id or its number of parts is not in range",
            "1: a\0b",
            "text must not contain U+0000 at index 1",
            "1: " + "x".repeat(40_000),
            "message must have up to 255 parts; its 40000 characters need more")
        .forEach((value, reason) -> assertThat(reason(record(value))).isEqualTo(reason));
    assertThat(reason(record(new byte[] {'1', ':', ' ', (byte) 0xFF})))
        .isEqualTo("its value is not UTF-8");
    assertThat(reason(new ConsumerRecord<>("t", 0, 0, null, null))).isEqualTo("it has no value");
    ConsumerRecord<byte[], byte[]> shortened = record("1: the beginning of");
    shortened.headers().add(MessageRecords.SHORTENED, MessageRecords.bytes("true"));
    assertThat(reason(shortened)).isEqualTo("only its beginning was kept");
  }

  @Test
  void headersOfOtherProducersMayBeWrong() {
    for (String parts : new String[] {"many", "0", "-1"}) {
      ConsumerRecord<byte[], byte[]> record = record("1: text");
      record.headers().add(MessageRecords.PARTS, MessageRecords.bytes(parts));
      assertThat(reason(record)).contains("parts");
    }
    ConsumerRecord<byte[], byte[]> record = record("1: text");
    record.headers().add(MessageRecords.MESSAGE_ID, MessageRecords.bytes("seven"));
    assertThat(reason(record)).contains("UUID");
  }

  private static String reason(ConsumerRecord<byte[], byte[]> record) {
    return ((MessageRecords.NoMessage) DecodedRecord.decode(record)).reason();
  }

  private static ConsumerRecord<byte[], byte[]> record(String value) {
    return record(value.getBytes(StandardCharsets.UTF_8));
  }

  private static ConsumerRecord<byte[], byte[]> record(byte[] value) {
    return new ConsumerRecord<>("t", 0, 7, MessageRecords.bytes("1"), value);
  }
}
