package dev.weir.notifications.sender;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A parallel consumer: one thread reads the records and commits, {@link Lanes} work on them, each
 * key in its order. A position is committed only behind what is done. Reading pauses while too many
 * records are not done, but polling goes on, so that the group does not take the consumer for dead.
 */
final class OrderedConsumer implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(OrderedConsumer.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final long COMMIT_NANOS = Duration.ofMillis(500).toNanos();

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final MessageDelivery delivery;
  private final SenderSettings settings;
  private final Lanes<OutboundRecord.Lane, OutboundRecord> lanes;
  private final Queue<OutboundRecord> ended = new ConcurrentLinkedQueue<>();
  private final Queue<OutboundRecord> done = new ConcurrentLinkedQueue<>();

  // The rest is used by the consumer's thread only.
  private final Map<TopicPartition, Assignment> assignments = new HashMap<>();
  private int buffered;
  private long committedNanos = System.nanoTime();

  OrderedConsumer(
      Consumer<byte[], byte[]> consumer,
      String topic,
      MessageDelivery delivery,
      SenderSettings settings) {
    this.consumer = consumer;
    this.topic = topic;
    this.delivery = delivery;
    this.settings = settings;
    this.lanes = new Lanes<>(this::work);
  }

  /** Consumes until {@code isStopped}, or until Kafka fails; then nothing is in progress. */
  void run(BooleanSupplier isStopped) {
    try {
      consumer.subscribe(List.of(topic), this);
      while (!isStopped.getAsBoolean()) {
        pauseOrResume();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          accept(record);
        }
        settle();
        if (System.nanoTime() - committedNanos > COMMIT_NANOS) {
          committedNanos = System.nanoTime();
          commit(positions(assignments.keySet()));
        }
      }
    } finally {
      release(Set.copyOf(assignments.keySet()));
    }
  }

  private void accept(ConsumerRecord<byte[], byte[]> record) {
    Assignment assignment = assignments.get(new TopicPartition(record.topic(), record.partition()));
    // A partition that was lost and assigned again is read from its committed position, and that
    // has its own assignment; anything else that was read before is in progress or done.
    if (assignment != null && assignment.offsets().add(record.offset())) {
      buffered++;
      OutboundRecord outbound = new OutboundRecord(assignment, record);
      lanes.add(outbound.lane(), outbound);
    }
  }

  /** Works on a record, on the thread of its lane. */
  private void work(OutboundRecord outbound) {
    Assignment assignment = outbound.assignment();
    if (assignment.begin()) {
      try {
        if (deliver(outbound)) {
          done.add(outbound);
        }
      } finally {
        assignment.end();
      }
    }
    ended.add(outbound);
  }

  private boolean deliver(OutboundRecord outbound) {
    try {
      return delivery.deliver(outbound);
    } catch (RuntimeException e) {
      log.error("A message was not delivered and is put aside: {}", outbound.record().headers(), e);
      return delivery.abandon(outbound, e);
    }
  }

  private void settle() {
    for (OutboundRecord one = done.poll(); one != null; one = done.poll()) {
      one.assignment().offsets().done(one.record().offset());
    }
    while (ended.poll() != null) {
      buffered--;
    }
  }

  private void pauseOrResume() {
    if (buffered >= settings.maxBuffered()) {
      consumer.pause(assignments.keySet());
    } else if (buffered <= settings.maxBuffered() / 2 && !consumer.paused().isEmpty()) {
      consumer.resume(consumer.paused());
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> positions(Set<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    for (TopicPartition partition : partitions) {
      Assignment assignment = assignments.get(partition);
      if (assignment != null && assignment.offsets().hasProgress()) {
        positions.put(partition, new OffsetAndMetadata(assignment.offsets().position()));
      }
    }
    return positions;
  }

  private void commit(Map<TopicPartition, OffsetAndMetadata> positions) {
    if (!positions.isEmpty()) {
      consumer.commitAsync(positions, this::committed);
    }
  }

  private void committed(
      Map<TopicPartition, OffsetAndMetadata> positions, @Nullable Exception failure) {
    // A failed commit is repeated by the next one.
    if (failure == null) {
      positions.forEach(
          (partition, position) -> {
            Assignment assignment = assignments.get(partition);
            if (assignment != null) {
              assignment.offsets().committed(position.offset());
            }
          });
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      assignments.put(partition, new Assignment(partition, consumer.position(partition)));
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    release(new HashSet<>(partitions));
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    // Another sender may have them already: nothing can be committed.
    for (TopicPartition partition : partitions) {
      Assignment assignment = assignments.remove(partition);
      if (assignment != null) {
        assignment.revoke();
      }
    }
  }

  /** Finishes what is in progress, and commits what is done. */
  private void release(Set<TopicPartition> partitions) {
    List<Assignment> released =
        partitions.stream().filter(assignments::containsKey).map(assignments::get).toList();
    released.forEach(Assignment::revoke);
    long deadlineNanos = System.nanoTime() + settings.maxRevocation().toNanos();
    for (Assignment assignment : released) {
      if (!assignment.awaitIdle(Duration.ofNanos(deadlineNanos - System.nanoTime()))) {
        log.warn(
            "Messages of {} are still in progress, and may be delivered twice",
            assignment.partition());
      }
    }
    settle();
    Map<TopicPartition, OffsetAndMetadata> positions = positions(partitions);
    partitions.forEach(assignments::remove);
    try {
      if (!positions.isEmpty()) {
        consumer.commitSync(positions, settings.kafkaTimeout());
      }
    } catch (KafkaException e) {
      log.warn("Messages that are done will be read again: {}", e.getMessage());
    }
  }
}
