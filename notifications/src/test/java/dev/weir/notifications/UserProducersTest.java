package dev.weir.notifications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.kafka.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class UserProducersTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final long ALL_BUFFER_BYTES = 16L << 20;

  @Test
  void allUsersOfAPartitionHaveTheSameProducer() {
    for (int count : List.of(1, UserProducers.COUNT, Topics.PARTITIONS)) {
      UserProducers producers =
          new UserProducers(
              Stream.<Producer<byte[], byte[]>>generate(UserProducersTest::mock)
                  .limit(count)
                  .toList());
      Map<Integer, Producer<byte[], byte[]>> byPartition = new HashMap<>();
      for (long userId = 0; userId < 1_000; userId++) {
        byte[] key = key(userId);
        int partition = BuiltInPartitioner.partitionForKey(key, Topics.PARTITIONS);
        Producer<byte[], byte[]> producer = producers.of(key);
        assertThat(byPartition.computeIfAbsent(partition, unknown -> producer)).isSameAs(producer);
      }
      assertThat(byPartition).hasSize(Topics.PARTITIONS);
      assertThat(byPartition.values().stream().distinct()).hasSize(count);
    }
  }

  /** A topic may have any number of partitions, and get more of them. */
  @Test
  void userHasTheSameProducerWhateverTheNumberOfPartitions() {
    UserProducers producers = new UserProducers(List.of(mock(), mock(), mock()));
    for (long userId = 0; userId < 1_000; userId++) {
      assertThat(producers.of(key(userId))).isSameAs(producers.of(key(userId)));
    }
  }

  @Test
  void closesAllAlsoIfOneFails() {
    MockProducer<byte[], byte[]> failing = mock();
    failing.closeException = new KafkaException("fails");
    MockProducer<byte[], byte[]> other = mock();
    for (List<Producer<byte[], byte[]>> order :
        List.<List<Producer<byte[], byte[]>>>of(List.of(failing, other), List.of(other, failing))) {
      assertThatThrownBy(() -> new UserProducers(order).close(TIMEOUT))
          .isSameAs(failing.closeException);
    }
    assertThat(other.closed()).isTrue();
  }

  /** A producer blocks while its buffer is full. */
  @Test
  @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void producerWhoseBufferIsFullDelaysNoOther() throws Exception {
    CountDownLatch hasRoom = new CountDownLatch(1);
    MockProducer<byte[], byte[]> full =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public synchronized Future<RecordMetadata> send(
              ProducerRecord<byte[], byte[]> record, Callback callback) {
            try {
              hasRoom.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return super.send(record, callback);
          }
        };
    UserProducers producers = new UserProducers(List.of(full, mock()));
    List<KafkaPublisher.Sending> all = sendings(100);
    KafkaPublisher.publish(producers, all, TIMEOUT);
    List<KafkaPublisher.Sending> waiting = new ArrayList<>();
    for (KafkaPublisher.Sending sending : all) {
      if (producers.of(sending.record().key()).equals(full)) {
        waiting.add(sending);
      } else {
        assertThat(sending.result().get()).isEqualTo(PublishResult.Done.DONE);
      }
    }
    assertThat(waiting).isNotEmpty().noneMatch(sending -> sending.result().isDone());
    hasRoom.countDown();
    for (KafkaPublisher.Sending sending : waiting) {
      assertThat(sending.result().get()).isEqualTo(PublishResult.Done.DONE);
    }
  }

  @Test
  void recordsThatAreNotInTheBufferInTimeAreRefusedForCertain() throws Exception {
    MockProducer<byte[], byte[]> producer = mock();
    List<KafkaPublisher.Sending> all = sendings(3);
    KafkaPublisher.publish(new UserProducers(List.of(producer)), all, Duration.ofNanos(2));
    assertThat(all.getFirst().result().get()).isEqualTo(PublishResult.Done.DONE);
    for (KafkaPublisher.Sending late : all.subList(1, 3)) {
      assertThat(late.result().get()).isInstanceOf(PublishResult.Refused.class);
    }
    assertThat(producer.history()).hasSize(1);
  }

  private static List<KafkaPublisher.Sending> sendings(int users) {
    return LongStream.range(0, users)
        .mapToObj(
            userId ->
                new KafkaPublisher.Sending(
                    new ProducerRecord<>("topic", key(userId), new byte[0]),
                    new CompletableFuture<>()))
        .toList();
  }

  /** Without a broker: the producers connect when they first send. */
  @Test
  void producersShareTheMemoryOfOne() {
    KafkaClients clients = KafkaClients.of(KafkaCluster.at("127.0.0.1:1", Map.of()), TIMEOUT);
    List<Producer<byte[], byte[]>> producers = clients.producers(UserProducers.COUNT, TIMEOUT);
    try {
      assertThat(producers).hasSize(UserProducers.COUNT);
      assertThat(producers)
          .extracting(producer -> bufferBytes(producer))
          .containsOnly((double) ALL_BUFFER_BYTES / UserProducers.COUNT);
      assertThat(producers).extracting(UserProducersTest::clientId).doesNotHaveDuplicates();
    } finally {
      new UserProducers(producers).close(Duration.ZERO);
    }
  }

  @Test
  void configuredClientIdGetsTheNumberOfTheProducer() {
    KafkaClients clients =
        KafkaClients.of(KafkaCluster.at("127.0.0.1:1", Map.of("client.id", "weir")), TIMEOUT);
    List<Producer<byte[], byte[]>> producers = clients.producers(2, TIMEOUT);
    try {
      assertThat(producers)
          .extracting(UserProducersTest::clientId)
          .containsExactly("weir-1", "weir-2");
    } finally {
      new UserProducers(producers).close(Duration.ZERO);
    }
  }

  private static Object bufferBytes(Producer<byte[], byte[]> producer) {
    return metric(producer, "buffer-total-bytes").metricValue();
  }

  private static String clientId(Producer<byte[], byte[]> producer) {
    return metric(producer, "buffer-total-bytes").metricName().tags().get("client-id");
  }

  private static Metric metric(Producer<byte[], byte[]> producer, String name) {
    return producer.metrics().values().stream()
        .filter(metric -> metric.metricName().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static byte[] key(long userId) {
    return MessageRecords.bytes(Long.toString(userId));
  }

  private static MockProducer<byte[], byte[]> mock() {
    return new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  }
}
