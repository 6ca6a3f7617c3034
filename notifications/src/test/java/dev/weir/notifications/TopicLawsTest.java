package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.provider.LogProvider;
import dev.weir.notifications.sender.Sender;
import dev.weir.notifications.sender.SenderObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What holds for every message between the caller and the log of the sender, on a real broker. */
final class TopicLawsTest {
  private static final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private static final List<AutoCloseable> parts = new ArrayList<>();
  private static SendScene scene;
  private static Consumer<byte[], byte[]> reader;

  @BeforeContainer
  static void start() {
    MessageTopics topics = TestKafka.createTopics();
    KafkaPublisher publisher = new KafkaPublisher(TestKafka.cluster(), topics, TestKafka.TIMEOUT);
    scene = new SendScene(publisher);
    reader = TestKafka.clients().consumer("reader-" + UUID.randomUUID(), 1_000);
    List<TopicPartition> partitions =
        reader.partitionsFor(topics.outbound()).stream()
            .map(partition -> new TopicPartition(topics.outbound(), partition.partition()))
            .toList();
    reader.assign(partitions);
    reader.seekToBeginning(partitions);
    Sender sender =
        Sender.start(
            TestKafka.cluster(),
            topics,
            new LogProvider(lines::add),
            scene.stores,
            TestKafka.senderSettings(),
            scene.stores.clock,
            SenderObserver.NONE);
    parts.addAll(List.of(sender, reader, scene, publisher));
  }

  @AfterContainer
  static void stop() throws Exception {
    for (AutoCloseable part : parts) {
      part.close();
    }
  }

  /** Properties 7 and 8 of the specification. */
  @Property(tries = 60)
  void messageThatWasSentIsOnTheTopicAndReported(
      @ForAll @LongRange(min = 0) long userId, @ForAll("texts") String text)
      throws InterruptedException {
    scene.limit(userId, 1);
    SendResult.Sent sent = (SendResult.Sent) scene.send(userId, text);

    ConsumerRecord<byte[], byte[]> record = next();
    assertThat(new String(record.value(), StandardCharsets.UTF_8)).isEqualTo(userId + ": " + text);
    assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(Long.toString(userId));
    assertThat(MessageRecords.header(record.headers(), MessageRecords.MESSAGE_ID))
        .contains(sent.message().id().toString());
    assertThat(DecodedRecord.message(record)).isEqualTo(sent.message());

    assertThat(lines.poll(2, TimeUnit.MINUTES)).isEqualTo("SMS Sent: " + userId + ": " + text);
  }

  private static ConsumerRecord<byte[], byte[]> next() {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (records.isEmpty() && System.nanoTime() < deadline) {
      reader.poll(Duration.ofMillis(100)).forEach(records::add);
    }
    assertThat(records).hasSize(1);
    return records.getFirst();
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withCharRange(' ', '~')
        .withCharRange('\u00A1', '\u024F')
        .withChars("€漢字: ")
        .ofMinLength(1)
        .ofMaxLength(200)
        .filter(text -> !text.isBlank());
  }
}
