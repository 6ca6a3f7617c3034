package dev.weir.notifications.sender;

import java.time.Duration;
import java.util.ArrayList;
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
 *
 * <p>A position is committed together with the id of the topic that it belongs to. A topic that was
 * created anew is read from its beginning, also by the next sender.
 */
final class OrderedConsumer implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(OrderedConsumer.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final long COMMIT_NANOS = Duration.ofMillis(500).toNanos();

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final TopicIdentity identity;
  private final MessageDelivery delivery;
  private final SenderSettings settings;
  private final Duration maxRevocation;
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
      TopicIdentity identity,
      MessageDelivery delivery,
      SenderSettings settings,
      Duration maxRevocation) {
    this.consumer = consumer;
    this.topic = topic;
    this.identity = identity;
    this.delivery = delivery;
    this.settings = settings;
    this.maxRevocation = maxRevocation;
    this.lanes = new Lanes<>(this::work);
  }

  /**
   * Consumes until {@code isStopped}, or until Kafka fails; then nothing is in progress.
   *
   * @throws KafkaException if Kafka fails
   * @throws dev.weir.notifications.kafka.KafkaUnavailableException if it does not answer
   */
  void run(BooleanSupplier isStopped) {
    try {
      consumer.subscribe(List.of(topic), this);
      while (!isStopped.getAsBoolean()) {
        pauseOrResume();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          accept(record);
        }
        settle();
        if (identity.hasChanged()) {
          readFromBeginning(assignments.keySet());
        }
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
    if (assignment == null) {
      return;
    }
    if (!assignment.offsets().add(record.offset())) {
      // The consumer goes back only if its position is beyond the end: records were lost, or the
      // topic was created anew.
      log.warn("{} is read again from offset {}", assignment.partition(), record.offset());
      assignment.restart(record.offset());
      assignment.offsets().add(record.offset());
    }
    buffered++;
    OutboundRecord outbound = new OutboundRecord(assignment, assignment.offsets(), record);
    lanes.add(outbound.lane(), outbound);
  }

  private void readFromBeginning(Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      // Kafka would take that for all partitions.
      return;
    }
    consumer.seekToBeginning(partitions);
    for (TopicPartition partition : partitions) {
      Assignment assignment = assignments.get(partition);
      if (assignment != null) {
        assignment.restart(0);
      }
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
      one.offsets().done(one.record().offset());
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
        positions.put(
            partition, new OffsetAndMetadata(assignment.offsets().position(), identity.id()));
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
            if (assignment != null && isOfThisTopic(position)) {
              assignment.offsets().committed(position.offset());
            }
          });
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
    List<TopicPartition> stale = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      @Nullable OffsetAndMetadata position = committed.get(partition);
      if (position != null && !isOfThisTopic(position)) {
        stale.add(partition);
        assignments.put(partition, new Assignment(partition, 0));
      } else {
        assignments.put(partition, new Assignment(partition, consumer.position(partition)));
      }
    }
    readFromBeginning(stale);
  }

  /** Returns true unless a position is known to belong to an earlier topic of the same name. */
  private boolean isOfThisTopic(OffsetAndMetadata position) {
    return position.metadata().isEmpty() || position.metadata().equals(identity.id());
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
    long deadlineNanos = System.nanoTime() + maxRevocation.toNanos();
    for (Assignment assignment : released) {
      if (!assignment.awaitIdle(Duration.ofNanos(deadlineNanos - System.nanoTime()))) {
        log.warn(
            "Messages of {} are still in progress, and are left to the next sender as unknown",
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
