package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.Crowd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class KafkaPublisherTest {
  private static final Duration SHORT = Duration.ofMillis(600);

  @Test
  void createsTheTopicWithFourPartitionsAndPublishesMessages() throws Exception {
    MessageTopics topics = TestKafka.newTopics();
    List<Message> messages =
        IntStream.range(0, 100).mapToObj(i -> message(i % 7, "text " + i)).toList();
    try (KafkaPublisher publisher =
        new KafkaPublisher(TestKafka.cluster(), topics, TestKafka.TIMEOUT)) {
      assertThat(publisher.publish(messages)).containsOnly(PublishResult.Done.DONE);
    }
    assertThat(partitions(topics.outbound())).isEqualTo(4);
    assertThat(partitions(topics.deadLetters())).isEqualTo(4);
    List<ConsumerRecord<byte[], byte[]>> records = TestKafka.read(topics.outbound());
    assertThat(records)
        .extracting(record -> DecodedRecord.message(record))
        .containsExactlyInAnyOrderElementsOf(messages);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      Message message = DecodedRecord.message(record);
      assertThat(new String(record.key(), StandardCharsets.UTF_8))
          .isEqualTo(Long.toString(message.userId()));
      assertThat(new String(record.value(), StandardCharsets.UTF_8))
          .isEqualTo(message.userId() + ": " + message.text());
    }
    // One user's messages are in one partition, in their order.
    for (long user = 0; user < 7; user++) {
      long userId = user;
      List<ConsumerRecord<byte[], byte[]>> ofUser =
          records.stream()
              .filter(record -> DecodedRecord.message(record).userId() == userId)
              .toList();
      assertThat(ofUser)
          .extracting(ConsumerRecord::partition)
          .containsOnly(ofUser.getFirst().partition());
      assertThat(ofUser)
          .extracting(record -> DecodedRecord.message(record))
          .containsExactlyElementsOf(
              messages.stream().filter(message -> message.userId() == userId).toList());
    }
  }

  @Test
  void eachPartitionHasOneProducerAndTheyShareThePartitions() throws Exception {
    MessageTopics topics = TestKafka.newTopics();
    try (KafkaPublisher publisher =
        new KafkaPublisher(TestKafka.cluster(), topics, TestKafka.TIMEOUT)) {
      for (int round = 0; round < 3; round++) {
        assertThat(
                publisher.publish(
                    IntStream.range(0, 100).mapToObj(user -> message(user, "hello")).toList()))
            .containsOnly(PublishResult.Done.DONE);
      }
    }
    List<List<Long>> byPartition = producerIds(topics.outbound());
    assertThat(byPartition).hasSize(4).allSatisfy(ids -> assertThat(ids).hasSize(1));
    assertThat(byPartition.stream().flatMap(List::stream).distinct()).hasSize(UserProducers.COUNT);
  }

  private static List<List<Long>> producerIds(String topic) throws Exception {
    List<TopicPartition> partitions =
        IntStream.range(0, partitions(topic)).mapToObj(i -> new TopicPartition(topic, i)).toList();
    try (Admin admin = TestKafka.clients().admin(TestKafka.TIMEOUT)) {
      return admin.describeProducers(partitions).all().get().values().stream()
          .map(state -> state.activeProducers().stream().map(ProducerState::producerId).toList())
          .toList();
    }
  }

  @Test
  void brokerThatIsDownRefusesForCertain() throws IOException {
    try (ClosedPort port = new ClosedPort();
        KafkaPublisher publisher = publisher("127.0.0.1:" + port.number())) {
      assertThat(publisher.publish(List.of(message(1, "hello"), message(2, "hello"))))
          .hasOnlyElementsOfType(PublishResult.Refused.class);
      assertThatThrownBy(publisher::probe).isInstanceOf(KafkaUnavailableException.class);
    }
  }

  /** The socket takes connections and never answers. */
  @Test
  void brokerThatHangsRefusesForCertainWithinTheTimeOut() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        KafkaPublisher publisher = publisher("127.0.0.1:" + silent.getLocalPort())) {
      List<PublishResult> results =
          Crowd.concurrently(20, i -> publisher.publish(List.of(message(i, "hello"))).getFirst());
      assertThat(results).hasSize(20).hasOnlyElementsOfType(PublishResult.Refused.class);
    }
  }

  @Test
  void clusterThatDoesNotStartRefusesForCertain() {
    KafkaCluster never =
        new KafkaCluster() {
          @Override
          public Optional<String> bootstrapServers(Duration maxWait) {
            return Optional.empty();
          }

          @Override
          public Map<String, String> clientProperties() {
            return TestKafka.cluster().clientProperties();
          }
        };
    try (KafkaPublisher publisher = new KafkaPublisher(never, MessageTopics.DEFAULT, SHORT)) {
      assertThat(publisher.publish(List.of(message(1, "hello"))).getFirst())
          .isInstanceOf(PublishResult.Refused.class);
    }
  }

  /** The cluster hands out its address only when the test lets it. */
  @Test
  void preparesInTheBackgroundOnceForAllCallers() throws Exception {
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch mayAnswer = new CountDownLatch(1);
    AtomicInteger questions = new AtomicInteger();
    KafkaCluster slow =
        new KafkaCluster() {
          @Override
          public Optional<String> bootstrapServers(Duration maxWait) {
            questions.incrementAndGet();
            isAsked.countDown();
            try {
              mayAnswer.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return TestKafka.cluster().bootstrapServers(maxWait);
          }

          @Override
          public Map<String, String> clientProperties() {
            return TestKafka.cluster().clientProperties();
          }
        };
    try (KafkaPublisher publisher =
        new KafkaPublisher(slow, TestKafka.newTopics(), TestKafka.TIMEOUT)) {
      publisher.prepare();
      isAsked.await();
      List<PublishResult> results =
          Crowd.concurrently(
              9,
              i -> {
                if (i == 0) {
                  mayAnswer.countDown();
                }
                return publisher.publish(List.of(message(i, "hello"))).getFirst();
              });
      assertThat(results).containsOnly(PublishResult.Done.DONE);
      assertThat(questions).hasValue(1);
    }
  }

  @Test
  void callerWaitsForAConnectionNoLongerThanItsTimeOut() throws Exception {
    CountDownLatch isClosed = new CountDownLatch(1);
    KafkaCluster stuck =
        new KafkaCluster() {
          @Override
          public Optional<String> bootstrapServers(Duration maxWait) {
            try {
              isClosed.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return Optional.empty();
          }

          @Override
          public Map<String, String> clientProperties() {
            return TestKafka.cluster().clientProperties();
          }
        };
    try (KafkaPublisher publisher = new KafkaPublisher(stuck, MessageTopics.DEFAULT, SHORT)) {
      assertThat(publisher.publish(List.of(message(1, "hello"))).getFirst())
          .isInstanceOf(PublishResult.Refused.class);
      assertThatThrownBy(publisher::probe).isInstanceOf(KafkaUnavailableException.class);
    } finally {
      isClosed.countDown();
    }
  }

  @Test
  void messageThatIsTooLargeIsRejectedAndOthersAreNot() throws Exception {
    MessageTopics topics = TestKafka.newTopics();
    try (Admin admin = TestKafka.clients().admin(TestKafka.TIMEOUT)) {
      NewTopic small =
          new NewTopic(topics.outbound(), Optional.of(4), Optional.empty())
              .configs(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "1000"));
      admin.createTopics(List.of(small)).all().get();
    }
    try (KafkaPublisher publisher =
        new KafkaPublisher(TestKafka.cluster(), topics, TestKafka.TIMEOUT)) {
      assertThat(publisher.publish(List.of(message(1, "x".repeat(5_000)))).getFirst())
          .isInstanceOf(PublishResult.Rejected.class);
      assertThat(publisher.publish(List.of(message(1, "hello"))).getFirst())
          .isEqualTo(PublishResult.Done.DONE);
    }
  }

  /**
   * The producer knows the topic and sends, so it cannot be certain that nothing arrived; the probe
   * creates the topic again. That is known when a message has timed out, so the time-out is short,
   * and a busy broker may need several attempts to answer within it.
   */
  @Test
  void topicThatWasDeletedIsCreatedByTheProbe() throws Exception {
    MessageTopics topics = TestKafka.newTopics();
    try (KafkaPublisher publisher =
        new KafkaPublisher(TestKafka.cluster(), topics, Duration.ofSeconds(4))) {
      Await.until(() -> isPublished(publisher, "before"));
      TestKafka.delete(topics.outbound());
      Await.until(() -> !TestKafka.hasTopic(topics.outbound()));
      PublishResult without = publisher.publish(List.of(message(1, "without"))).getFirst();
      while (without instanceof PublishResult.Done) {
        // The broker deletes in the background, and takes messages until it does.
        without = publisher.publish(List.of(message(1, "without"))).getFirst();
      }
      assertThat(without).isNotInstanceOf(PublishResult.Rejected.class);
      Await.until(() -> isProbed(publisher));
      assertThat(partitions(topics.outbound())).isEqualTo(4);
      Await.until(() -> isPublished(publisher, "after"));
      assertThat(TestKafka.read(topics.outbound()))
          .extracting(record -> DecodedRecord.message(record).text())
          .contains("after")
          .doesNotContain("before");
    }
  }

  private static boolean isPublished(KafkaPublisher publisher, String text) {
    return publisher.publish(List.of(message(1, text))).getFirst() instanceof PublishResult.Done;
  }

  private static boolean isProbed(KafkaPublisher publisher) {
    try {
      publisher.probe();
      return true;
    } catch (KafkaUnavailableException e) {
      return false;
    }
  }

  private static int partitions(String topic) throws ExecutionException, InterruptedException {
    try (Admin admin = TestKafka.clients().admin(TestKafka.TIMEOUT)) {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get()
          .get(topic)
          .partitions()
          .size();
    }
  }

  private static KafkaPublisher publisher(String servers) {
    return new KafkaPublisher(KafkaCluster.at(servers, Map.of()), MessageTopics.DEFAULT, SHORT);
  }

  private static Message message(long userId, String text) {
    return new Message(UUID.randomUUID(), userId, text, 1);
  }
}
