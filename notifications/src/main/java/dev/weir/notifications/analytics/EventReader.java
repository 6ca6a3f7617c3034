package dev.weir.notifications.analytics;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads batches of events and commits each when it is written. While a batch waits for OpenSearch,
 * the partitions are paused but polling goes on, so that the group does not take the consumer for
 * dead. Used by one thread.
 */
final class EventReader implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(EventReader.class);
  private static final Duration POLL = Duration.ofMillis(100);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final EventWriter writer;
  private final IndexerSettings settings;
  private final Backoff backoff;
  private boolean isHolding;

  EventReader(
      Consumer<byte[], byte[]> consumer,
      String topic,
      EventWriter writer,
      IndexerSettings settings) {
    this.consumer = consumer;
    this.topic = topic;
    this.writer = writer;
    this.settings = settings;
    this.backoff =
        new Backoff(settings.firstPause(), settings.maxPause(), RandomGenerator.getDefault());
  }

  /** Reads until {@code isStopped}, or until Kafka fails. */
  void run(BooleanSupplier isStopped) {
    consumer.subscribe(List.of(topic), this);
    // A missing OpenSearch is reported before the first event finds out.
    var unused = writer.prepare();
    while (!isStopped.getAsBoolean()) {
      writer.removeOld();
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      if (!records.isEmpty() && write(records, isStopped)) {
        commit(records);
      }
    }
  }

  /** Returns false if it was stopped before OpenSearch had all events. */
  private boolean write(ConsumerRecords<byte[], byte[]> records, BooleanSupplier isStopped) {
    List<EventDocument> pending = writer.documents(records);
    try {
      while (true) {
        List<EventDocument> left = writer.write(pending);
        if (left.isEmpty()) {
          backoff.reset();
          return true;
        }
        if (left.size() < pending.size()) {
          backoff.reset();
        }
        pending = left;
        if (!pause(backoff.pause(), isStopped)) {
          return false;
        }
      }
    } finally {
      isHolding = false;
      consumer.resume(consumer.paused());
    }
  }

  /** Waits while the group sees that the consumer is alive; returns false if it is stopped. */
  private boolean pause(Duration duration, BooleanSupplier isStopped) {
    isHolding = true;
    consumer.pause(consumer.assignment());
    long deadlineNanos = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = deadlineNanos - System.nanoTime()) {
      if (isStopped.getAsBoolean()) {
        return false;
      }
      ConsumerRecords<byte[], byte[]> none =
          consumer.poll(Duration.ofNanos(Math.min(left, POLL.toNanos())));
      if (!none.isEmpty()) {
        throw new IllegalStateException("a paused consumer has read " + none.count() + " records");
      }
    }
    return true;
  }

  private void commit(ConsumerRecords<byte[], byte[]> records) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    for (TopicPartition partition : records.partitions()) {
      // One that went to another indexer meanwhile is read there again, which changes nothing.
      if (consumer.assignment().contains(partition)) {
        ConsumerRecord<byte[], byte[]> last = records.records(partition).getLast();
        positions.put(partition, new OffsetAndMetadata(last.offset() + 1));
      }
    }
    try {
      if (!positions.isEmpty()) {
        consumer.commitSync(positions, settings.kafkaTimeout());
      }
    } catch (CommitFailedException | RebalanceInProgressException e) {
      log.debug("Events that are indexed will be read again: {}", e.getMessage());
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    if (isHolding) {
      consumer.pause(partitions);
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    // What is held of them is written all the same, and not committed.
  }
}
