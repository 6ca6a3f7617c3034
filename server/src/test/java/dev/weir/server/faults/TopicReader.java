package dev.weir.server.faults;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.kafka.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** Reads the topic of messages from its beginning, whatever the sender has done with it. */
public final class TopicReader implements AutoCloseable {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final String TOPIC = MessageTopics.DEFAULT.outbound();
  private static final String SENDER_GROUP = "weir-sender";

  private final Consumer<byte[], byte[]> consumer;

  /** Fetches nothing, because what it asks for would wait behind that. */
  private final Consumer<byte[], byte[]> sender;

  private final List<TopicPartition> partitions =
      IntStream.range(0, Topics.PARTITIONS)
          .mapToObj(partition -> new TopicPartition(TOPIC, partition))
          .toList();
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Long, List<Entry>> byUser = new HashMap<>();

  /**
   * A record of the topic.
   *
   * @param messageId from the header
   */
  public record Entry(int partition, long offset, String key, UUID messageId, String value) {
    /** Returns the text of the message, without the id of its user. */
    public String text() {
      return value.substring(value.indexOf(": ") + 2);
    }

    public long userId() {
      return Long.parseLong(key);
    }
  }

  public TopicReader(KafkaProcess kafka) {
    KafkaClients clients = kafka.clients();
    this.consumer = clients.consumer("reader-" + UUID.randomUUID(), 10_000);
    this.sender = clients.consumer(SENDER_GROUP, 1);
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Returns all records, in the order of each partition. */
  public List<Entry> readAll() {
    readToTheEnd();
    return List.copyOf(entries);
  }

  private void readToTheEnd() {
    Map<TopicPartition, Long> ends = sender.endOffsets(partitions, BOUND);
    Waiting.until(
        "the end of the topic",
        BOUND,
        () -> {
          for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(10))) {
            Entry entry = entry(record);
            entries.add(entry);
            byUser.computeIfAbsent(entry.userId(), any -> new ArrayList<>()).add(entry);
          }
          return ends.entrySet().stream()
              .allMatch(end -> consumer.position(end.getKey(), BOUND) >= end.getValue());
        });
  }

  /** Returns the records of a user, in their order. */
  public List<Entry> readOf(long userId) {
    readToTheEnd();
    return List.copyOf(byUser.getOrDefault(userId, List.of()));
  }

  private static Entry entry(ConsumerRecord<byte[], byte[]> record) {
    Header id = record.headers().lastHeader("weir-message-id");
    return new Entry(
        record.partition(),
        record.offset(),
        text(record.key()),
        UUID.fromString(text(id.value())),
        text(record.value()));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Waits until the sender has committed all that is on the topic now. */
  public void awaitSender() {
    Map<TopicPartition, Long> ends = sender.endOffsets(partitions, BOUND);
    Waiting.until(
        "the sender to be done with the topic",
        BOUND,
        () -> {
          Map<TopicPartition, OffsetAndMetadata> done =
              sender.committed(new HashSet<>(partitions), BOUND);
          Map<TopicPartition, Long> open = new HashMap<>(ends);
          open.values().removeIf(end -> end == 0);
          return open.entrySet().stream()
              .allMatch(
                  end ->
                      done.get(end.getKey()) != null
                          && done.get(end.getKey()).offset() >= end.getValue());
        });
  }

  @Override
  public void close() {
    consumer.close();
    sender.close();
  }
}
