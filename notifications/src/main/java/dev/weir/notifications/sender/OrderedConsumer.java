package dev.weir.notifications.sender;

import dev.weir.notifications.sender.OutboundRecord.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
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
 * <p>Lanes share the room for records, and each has up to half of what is free, so that a lane that
 * is slow leaves room for others, however many records it has. The records of a lane that fails
 * take no room: all but the first are skipped, and read again when the lane goes on. Skipped
 * records stay in the topic, and before the position that is committed.
 *
 * <p>A position is committed together with the id of the topic that it belongs to. A topic that was
 * created anew is read from its beginning, also by the next sender.
 */
final class OrderedConsumer implements ConsumerRebalanceListener {
  private static final Logger log = LoggerFactory.getLogger(OrderedConsumer.class);
  private static final Duration POLL = Duration.ofMillis(50);

  /** Max number of lanes that fail and take no room, except the memory of one record each. */
  private static final int MAX_FAILING = 10_000;

  /** Max number of records of a partition that are skipped; each takes some memory. */
  private static final int MAX_SKIPPED = 50_000;

  private static final long COMMIT_NANOS = Duration.ofMillis(500).toNanos();

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final TopicIdentity identity;
  private final MessageDelivery delivery;
  private final SenderSettings settings;
  private final Duration maxRevocation;
  private final java.util.function.Consumer<Backlog> backlogs;
  private final Lanes<Lane, OutboundRecord> lanes;
  private final Queue<OutboundRecord> ended = new ConcurrentLinkedQueue<>();
  private final Queue<OutboundRecord> done = new ConcurrentLinkedQueue<>();

  // The rest is used by the consumer's thread only.
  private final Map<TopicPartition, Assignment> assignments = new HashMap<>();
  private final Map<Lane, Integer> bufferedOf = new HashMap<>();
  private int buffered;
  private boolean isFull;
  private long committedNanos = System.nanoTime();

  OrderedConsumer(
      Consumer<byte[], byte[]> consumer,
      String topic,
      TopicIdentity identity,
      MessageDelivery delivery,
      SenderSettings settings,
      Duration maxRevocation,
      java.util.function.Consumer<Backlog> backlogs) {
    this.consumer = consumer;
    this.topic = topic;
    this.identity = identity;
    this.delivery = delivery;
    this.settings = settings;
    this.maxRevocation = maxRevocation;
    this.backlogs = backlogs;
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
        putAside();
        pauseOrResume();
        reread();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          accept(record);
        }
        settle();
        endReread();
        if (identity.hasChanged()) {
          readFromBeginning(assignments.keySet());
        }
        if (System.nanoTime() - committedNanos > COMMIT_NANOS) {
          committedNanos = System.nanoTime();
          commit(positions(assignments.keySet()));
          backlogs.accept(backlog());
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
    OutboundRecord outbound = new OutboundRecord(assignment, assignment.offsets(), record);
    Lane lane = outbound.lane();
    if (assignment.offsets().add(record.offset(), record.timestamp())) {
      if (assignment.skipped().has(lane) || !hasRoom(assignment, lane)) {
        assignment.skipped().add(lane, record.offset());
      } else {
        buffer(lane, outbound);
      }
    } else if (isReread(assignment, record.offset())) {
      if (hasRoom(assignment, lane) && assignment.skipped().removeFirst(lane, record.offset())) {
        buffer(lane, outbound);
      }
    } else {
      // The consumer goes back only if its position is beyond the end: records were lost, or the
      // topic was created anew.
      log.warn("{} is read again from offset {}", assignment.partition(), record.offset());
      assignment.restart(record.offset());
      assignment.offsets().add(record.offset(), record.timestamp());
      buffer(lane, new OutboundRecord(assignment, assignment.offsets(), record));
    }
  }

  private void buffer(Lane lane, OutboundRecord outbound) {
    buffered++;
    bufferedOf.merge(lane, 1, Integer::sum);
    lanes.add(lane, outbound);
  }

  private void unbuffer(Lane lane) {
    buffered--;
    bufferedOf.computeIfPresent(lane, (any, count) -> count > 1 ? count - 1 : null);
  }

  /** Returns true if a lane may have one more record in memory. */
  private boolean hasRoom(Assignment assignment, Lane lane) {
    return !assignment.failing().contains(lane) && bufferedOf.getOrDefault(lane, 0) < maxPerLane();
  }

  /** Returns true if a lane has used up half of what it may have in memory. */
  private boolean isLow(Assignment assignment, Lane lane) {
    return !assignment.failing().contains(lane)
        && bufferedOf.getOrDefault(lane, 0) <= maxPerLane() / 2;
  }

  private int maxPerLane() {
    return Math.max(1, (settings.maxBuffered() - used()) / 2);
  }

  /** Returns the number of records that take room. */
  private int used() {
    int failing = assignments.values().stream().mapToInt(each -> each.failing().size()).sum();
    return buffered - Math.min(failing, MAX_FAILING);
  }

  /** Lets the records of lanes that fail wait in the topic, except the first. */
  private void putAside() {
    for (Assignment assignment : assignments.values()) {
      for (Lane lane : assignment.failing()) {
        // Records of an earlier topic cannot be read again.
        for (OutboundRecord waiting :
            lanes.drain(lane, each -> each.offsets().equals(assignment.offsets()))) {
          assignment.skipped().add(lane, waiting.record().offset());
          unbuffer(lane);
        }
      }
    }
  }

  /** Reads partitions again where lanes have skipped records and room for them. */
  private void reread() {
    if (isFull) {
      return;
    }
    for (Assignment assignment : assignments.values()) {
      if (assignment.mayReread()) {
        OptionalLong from = assignment.skipped().first(lane -> isLow(assignment, lane));
        if (from.isPresent()) {
          assignment.beginReread(from.getAsLong());
          consumer.seek(assignment.partition(), from.getAsLong());
          consumer.resume(Set.of(assignment.partition()));
        }
      }
    }
  }

  /** Returns true if a record was read before, and its partition is being read again. */
  private static boolean isReread(Assignment assignment, long offset) {
    if (assignment.reread().isEmpty() || offset < assignment.reread().get().from()) {
      return false;
    }
    dropBefore(assignment, offset);
    return true;
  }

  /**
   * Drops skipped records that the topic has no more, because it keeps records for a limited time.
   *
   * @param first the first record that is read again
   */
  private static void dropBefore(Assignment assignment, long first) {
    Assignment.Reread reread = assignment.reread().orElseThrow();
    if (reread.isBegun()) {
      return;
    }
    assignment.rereadBegun();
    if (first > reread.from()) {
      List<Long> gone = assignment.skipped().removeBefore(first);
      gone.forEach(assignment.offsets()::done);
      log.error(
          "{} messages of {} are lost: Kafka has removed them before they could be delivered",
          gone.size(),
          assignment.partition());
    }
  }

  /** Ends what is read again as soon as it has come to its end, or no lane has room for more. */
  private void endReread() {
    for (Assignment assignment : assignments.values()) {
      Optional<Assignment.Reread> reread = assignment.reread();
      if (reread.isEmpty()) {
        continue;
      }
      long position = consumer.position(assignment.partition(), settings.kafkaTimeout());
      if (position >= reread.get().until()) {
        dropBefore(assignment, position);
        assignment.endReread(position);
      } else if (assignment.skipped().first(lane -> hasRoom(assignment, lane)).isEmpty()) {
        consumer.seek(assignment.partition(), reread.get().until());
        assignment.endReread(position);
      }
    }
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
        assignment.takeBack(outbound.lane());
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
    for (OutboundRecord one = ended.poll(); one != null; one = ended.poll()) {
      unbuffer(one.lane());
    }
  }

  private void pauseOrResume() {
    int used = used();
    isFull = used >= settings.maxBuffered() || (isFull && used > settings.maxBuffered() / 2);
    for (Assignment assignment : assignments.values()) {
      boolean hasRoom =
          assignment.reread().isPresent() || assignment.skipped().count() < MAX_SKIPPED;
      if (isFull || !hasRoom) {
        consumer.pause(Set.of(assignment.partition()));
      } else {
        consumer.resume(Set.of(assignment.partition()));
      }
    }
  }

  private Backlog backlog() {
    long messages = 0;
    long aside = 0;
    OptionalLong oldest = OptionalLong.empty();
    for (Assignment assignment : assignments.values()) {
      OffsetTracker offsets = assignment.offsets();
      long end =
          consumer.position(assignment.partition(), settings.kafkaTimeout())
              + consumer.currentLag(assignment.partition()).orElse(0);
      messages += offsets.openCount() + Math.max(0, end - offsets.next());
      aside += assignment.skipped().count();
      oldest = earlier(oldest, offsets.oldestTimestamp());
    }
    return new Backlog(
        messages,
        aside,
        oldest.isPresent()
            ? Optional.of(Instant.ofEpochMilli(oldest.getAsLong()))
            : Optional.empty());
  }

  private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
    return LongStream.concat(one.stream(), other.stream()).min();
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
