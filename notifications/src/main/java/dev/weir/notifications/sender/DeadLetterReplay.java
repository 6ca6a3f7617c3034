package dev.weir.notifications.sender;

import dev.weir.engine.notifications.ReplayLock;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.kafka.MessageTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes dead letters again, so that the sender tries them again. Each letter is replayed once,
 * because one run of all nodes works at a time. A run that is aborted may have replayed some that
 * the next run replays again, and the sender delivers a message once.
 */
public final class DeadLetterReplay {
  private static final Logger log = LoggerFactory.getLogger(DeadLetterReplay.class);
  private static final String GROUP = "weir-replay";
  private static final int MAX_POLL = 500;
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaCluster cluster;
  private final MessageTopics topics;
  private final Duration timeout;
  private final ReplayLock lock;

  /**
   * Creates a replay.
   *
   * @param timeout maximum time for each answer of Kafka
   */
  public DeadLetterReplay(
      KafkaCluster cluster, MessageTopics topics, Duration timeout, ReplayLock lock) {
    this.cluster = cluster;
    this.topics = topics;
    this.timeout = timeout;
    this.lock = lock;
  }

  /**
   * Replays the dead letters that there are now.
   *
   * @return the number of records that were published; empty if nothing was done, because another
   *     run is in progress
   * @throws KafkaUnavailableException if Kafka fails; a part may have been published
   * @throws dev.weir.engine.StoreException if the lock fails; a part may have been published
   */
  public OptionalLong run() {
    AtomicLong replayed = new AtomicLong();
    return lock.run(() -> replayed.set(replay()))
        ? OptionalLong.of(replayed.get())
        : OptionalLong.empty();
  }

  private long replay() {
    KafkaClients clients = KafkaClients.of(cluster, timeout);
    try (Consumer<byte[], byte[]> consumer = clients.consumer(GROUP, MAX_POLL);
        Producer<byte[], byte[]> producer = clients.producer(timeout)) {
      return replay(consumer, producer);
    } catch (KafkaException | ExecutionException e) {
      throw new KafkaUnavailableException("the replay was aborted: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("the replay was interrupted", e);
    }
  }

  private long replay(Consumer<byte[], byte[]> consumer, Producer<byte[], byte[]> producer)
      throws ExecutionException, InterruptedException {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topics.deadLetters(), timeout).stream()
            .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
            .toList();
    consumer.assign(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, timeout);
    long replayed = 0;
    while (isBehind(consumer, ends)) {
      replayed += replay(consumer.poll(POLL), ends, producer);
      Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
      partitions.forEach(
          partition ->
              positions.put(
                  partition,
                  new OffsetAndMetadata(
                      Math.min(consumer.position(partition, timeout), end(ends, partition)))));
      consumer.commitSync(positions, timeout);
    }
    return replayed;
  }

  private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
    return ends.getOrDefault(partition, 0L);
  }

  private boolean isBehind(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey(), timeout) < end.getValue());
  }

  private long replay(
      ConsumerRecords<byte[], byte[]> letters,
      Map<TopicPartition, Long> ends,
      Producer<byte[], byte[]> producer)
      throws ExecutionException, InterruptedException {
    List<Future<?>> pending = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> letter : letters) {
      // Letters that have come since the start may be those that were just replayed.
      if (letter.offset() < end(ends, new TopicPartition(letter.topic(), letter.partition()))) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(
                topics.outbound(), null, letter.key(), letter.value(), letter.headers());
        record.headers().remove(OutboundRecord.REPLAYED);
        record.headers().add(OutboundRecord.REPLAYED, MessageRecords.bytes("true"));
        pending.add(producer.send(record));
      }
    }
    long replayed = 0;
    for (Future<?> result : pending) {
      replayed += isPublished(result) ? 1 : 0;
    }
    return replayed;
  }

  private static boolean isPublished(Future<?> result)
      throws ExecutionException, InterruptedException {
    try {
      result.get();
      return true;
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof RecordTooLargeException)) {
        throw e;
      }
      // It would never fit, and must not keep back those behind it.
      log.warn("A dead letter is not replayed: {}", e.getCause().getMessage());
      return false;
    }
  }
}
