package dev.weir.notifications.sender;

import dev.weir.notifications.Replayed;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.kafka.MessageTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run over the dead letters that existed when it was created. Its positions belong to one
 * topic: if that is deleted, the run ends, because the letters of a topic that was created anew are
 * newer than the run, and may be those that it has just replayed. Not thread-safe.
 */
final class ReplayRun {
  private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);
  private static final Duration POLL = Duration.ofMillis(200);

  /** A partition without a leader returns nothing, and does not fail. */
  private static final long MAX_IDLE_NANOS = Duration.ofSeconds(30).toNanos();

  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;
  private final MessageTopics topics;
  private final TopicIdentity identity;
  private final Duration timeout;
  private final Map<TopicPartition, Long> ends;

  /**
   * Creates a run, and reads where it begins and ends.
   *
   * @param consumer fails if it is not at a position of the topic
   */
  ReplayRun(
      Consumer<byte[], byte[]> consumer,
      Producer<byte[], byte[]> producer,
      MessageTopics topics,
      TopicIdentity identity,
      Duration timeout) {
    this.consumer = consumer;
    this.producer = producer;
    this.topics = topics;
    this.identity = identity;
    this.timeout = timeout;
    List<TopicPartition> partitions =
        consumer.partitionsFor(topics.deadLetters(), timeout).stream()
            .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
            .toList();
    consumer.assign(partitions);
    this.ends = Map.copyOf(consumer.endOffsets(partitions, timeout));
    seek(partitions);
  }

  private void seek(List<TopicPartition> partitions) {
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, timeout);
    Map<TopicPartition, OffsetAndMetadata> committed =
        consumer.committed(Set.copyOf(partitions), timeout);
    for (TopicPartition partition : partitions) {
      long begin = begins.getOrDefault(partition, 0L);
      consumer.seek(partition, Math.max(begin, position(partition, committed.get(partition))));
    }
  }

  /** Returns where the last run has ended, or 0 if that was in another topic of this name. */
  private long position(TopicPartition partition, @Nullable OffsetAndMetadata committed) {
    boolean isOfThisTopic =
        committed != null
            && committed.offset() <= end(partition)
            && (committed.metadata().isEmpty() || committed.metadata().equals(identity.id()));
    return committed != null && isOfThisTopic ? committed.offset() : 0;
  }

  /** Replays all letters, or as many as there are until the topic is deleted. */
  Replayed run() throws ExecutionException, InterruptedException {
    Replayed replayed = Replayed.NONE;
    long progressNanos = System.nanoTime();
    while (isBehind()) {
      Map<TopicPartition, OffsetAndMetadata> before = positions();
      ConsumerRecords<byte[], byte[]> letters = poll();
      // Asked after the letters were read, so that these are not of another topic.
      if (!identity.isSame(timeout)) {
        log.warn("Topic {} was deleted, so the replay has ended", topics.deadLetters());
        return replayed;
      }
      replayed = replayed.plus(replay(letters));
      Map<TopicPartition, OffsetAndMetadata> positions = positions();
      if (!positions.equals(before)) {
        progressNanos = System.nanoTime();
        consumer.commitSync(positions, timeout);
      } else if (System.nanoTime() - progressNanos > MAX_IDLE_NANOS) {
        throw new KafkaUnavailableException(
            "the replay was aborted: letters of topic %s cannot be read"
                .formatted(topics.deadLetters()));
      }
    }
    return replayed;
  }

  private ConsumerRecords<byte[], byte[]> poll() {
    try {
      return consumer.poll(POLL);
    } catch (OffsetOutOfRangeException e) {
      if (identity.isSame(timeout)) {
        // Letters were removed by their age before they were read. The next run goes on behind.
        throw e;
      }
      return ConsumerRecords.empty();
    }
  }

  private boolean isBehind() {
    return ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey(), timeout) < end.getValue());
  }

  private long end(TopicPartition partition) {
    return ends.getOrDefault(partition, 0L);
  }

  private Map<TopicPartition, OffsetAndMetadata> positions() {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    ends.forEach(
        (partition, end) ->
            positions.put(
                partition,
                new OffsetAndMetadata(
                    Math.min(consumer.position(partition, timeout), end), identity.id())));
    return positions;
  }

  private Replayed replay(ConsumerRecords<byte[], byte[]> letters)
      throws ExecutionException, InterruptedException {
    List<Future<?>> pending = new ArrayList<>();
    long skipped = 0;
    for (ConsumerRecord<byte[], byte[]> letter : letters) {
      // Letters that have come since the start may be those that were just replayed.
      if (letter.offset() >= end(new TopicPartition(letter.topic(), letter.partition()))) {
        continue;
      }
      if (MessageRecords.isShortened(letter.headers())) {
        log.warn("A dead letter is not replayed: only its beginning was kept");
        skipped++;
      } else {
        pending.add(producer.send(replayed(letter)));
      }
    }
    long published = 0;
    for (Future<?> result : pending) {
      if (isPublished(result)) {
        published++;
      } else {
        skipped++;
      }
    }
    return new Replayed(published, skipped);
  }

  private ProducerRecord<byte[], byte[]> replayed(ConsumerRecord<byte[], byte[]> letter) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topics.outbound(), null, letter.key(), letter.value(), letter.headers());
    record.headers().remove(OutboundRecord.REPLAYED);
    record.headers().add(OutboundRecord.REPLAYED, MessageRecords.bytes("true"));
    return record;
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
