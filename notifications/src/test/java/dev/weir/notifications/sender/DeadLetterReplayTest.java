package dev.weir.notifications.sender;

import static dev.weir.notifications.sender.SenderScene.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.DecodedRecord;
import dev.weir.notifications.Replayed;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.messages.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeadLetterReplayTest {
  private static final AtomicReference<Runnable> whenRead = new AtomicReference<>(() -> {});

  private final SenderScene scene = new SenderScene();

  @AfterEach
  void close() {
    whenRead.set(() -> {});
    scene.close();
  }

  /** Letters of the new topic are fewer than the position of the run, or more. */
  @Test
  void replayEndsWhenItsTopicIsDeletedAndReplaysNoLetterOfTheNextOne() throws Exception {
    for (int newer : List.of(10, 2_000)) {
      letters("old", 1_200);
      whenRead.set(
          () -> {
            whenRead.set(() -> {});
            TestKafka.recreate(scene.topics.deadLetters());
            letters("new", newer);
          });
      assertThat(scene.replay(watched()).run()).isPresent();
      assertThat(texts()).doesNotContain("new");
      TestKafka.recreate(scene.topics.deadLetters());
    }
  }

  /** The position that was committed belongs to a topic that exists no more. */
  @Test
  void nextReplayReadsATopicThatWasCreatedAgainFromItsBeginning() {
    letters("old", 30);
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(30, 0));
    TestKafka.recreate(scene.topics.deadLetters());
    TestKafka.commit("weir-replay", scene.topics.deadLetters(), 30, "an earlier topic");
    letters("new", 60);
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(60, 0));
  }

  @Test
  void replayDoesNothingWhileAnotherOneIsInProgress() {
    letters("bad", 1);
    DeadLetterReplay second =
        new DeadLetterReplay(TestKafka.cluster(), scene.topics, TestKafka.TIMEOUT, work -> false);
    assertThat(second.run()).isEmpty();
    assertThat(texts()).isEmpty();
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(1, 0));
  }

  /** Otherwise the beginning of a text would be sent as if it were the whole. */
  @Test
  void letterWithTheBeginningOfAMessageIsSkipped() throws Exception {
    Message message = message(1, "the beginning of");
    ProducerRecord<byte[], byte[]> letter =
        MessageRecords.encode(scene.topics.deadLetters(), message);
    letter.headers().add(MessageRecords.SHORTENED, MessageRecords.bytes("true"));
    try (Producer<byte[], byte[]> producer = TestKafka.clients().producer(TestKafka.TIMEOUT)) {
      producer.send(letter).get();
    }
    letters("whole", 1);
    assertThat(scene.replay(TestKafka.cluster()).run()).contains(new Replayed(1, 1));
    assertThat(texts()).containsExactly("whole");
  }

  private List<String> texts() {
    return TestKafka.read(scene.topics.outbound()).stream()
        .map(record -> DecodedRecord.message(record).text())
        .toList();
  }

  private void letters(String text, int count) {
    List<Future<?>> pending = new ArrayList<>();
    try (Producer<byte[], byte[]> producer = TestKafka.clients().producer(TestKafka.TIMEOUT)) {
      IntStream.range(0, count)
          .mapToObj(i -> MessageRecords.encode(scene.topics.deadLetters(), message(1, text)))
          .forEach(letter -> pending.add(producer.send(letter)));
      for (Future<?> result : pending) {
        result.get();
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a cluster whose clients tell the test when they have read something. */
  private static KafkaCluster watched() {
    String servers = TestKafka.cluster().bootstrapServers(TestKafka.TIMEOUT).orElseThrow();
    Map<String, String> properties = new HashMap<>(TestKafka.cluster().clientProperties());
    properties.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, Watching.class.getName());
    return KafkaCluster.at(servers, properties);
  }

  /** Producers have the same settings, so it is an interceptor of theirs too. */
  public static final class Watching
      implements ConsumerInterceptor<byte[], byte[]>, ProducerInterceptor<byte[], byte[]> {
    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
      whenRead.get().run();
      return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> positions) {}

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
      return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception failure) {}

    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public void close() {}
  }
}
