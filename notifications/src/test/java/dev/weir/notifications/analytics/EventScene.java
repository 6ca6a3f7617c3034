package dev.weir.notifications.analytics;

import dev.weir.notifications.MessageIds;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.messages.Message;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A topic of its own with events, and indexers of a group of its own. */
final class EventScene implements AutoCloseable {
  private static final MessageIds IDS = new MessageIds(InstantSource.system());

  final EventTopic topic = new EventTopic("events-" + UUID.randomUUID());
  final IndexerSettings settings =
      new IndexerSettings(
          "indexer-" + UUID.randomUUID(),
          Period.ofDays(90),
          TestKafka.TIMEOUT,
          Duration.ofMillis(20),
          Duration.ofMillis(200));
  private final Producer<byte[], byte[]> producer;
  private final List<Indexer> indexers = new ArrayList<>();

  EventScene() {
    try (Admin admin = TestKafka.clients().admin(TestKafka.TIMEOUT)) {
      topic.create(admin);
    }
    producer = TestKafka.clients().producer(TestKafka.TIMEOUT);
  }

  static NotificationEvent event(Instant at, NotificationEvent.Outcome outcome, long userId) {
    Message message = new Message(IDS.at(at), userId, "hello", 1 + (int) (userId % 3));
    NotificationEvent plain =
        NotificationEvent.plain(at.truncatedTo(ChronoUnit.MILLIS), outcome, message);
    return new NotificationEvent(
        plain.at(),
        outcome,
        plain.cause(),
        userId,
        plain.messageId(),
        plain.parts(),
        OptionalLong.of(2),
        plain.quota(),
        plain.retryAfterSeconds());
  }

  /** Returns sent messages of some users, a second apart, up to now. */
  static List<NotificationEvent> events(int number) {
    Instant now = Instant.now();
    List<NotificationEvent> events = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      events.add(event(now.minusSeconds(i), NotificationEvent.Outcome.SENT, i % 7));
    }
    return events;
  }

  /** Publishes events; the id of each is the id of its message. */
  void publish(List<NotificationEvent> events) {
    publishRaw(
        events.stream()
            .map(event -> EventJson.write(event.messageId().orElseThrow(), event))
            .toList());
  }

  void publishRaw(List<byte[]> values) {
    List<Future<?>> pending = new ArrayList<>();
    for (byte[] value : values) {
      pending.add(producer.send(new ProducerRecord<>(topic.name(), value)));
    }
    try {
      for (Future<?> one : pending) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  Indexer start(OpenSearch search, CountingObserver observer) {
    return start(search, observer, settings);
  }

  Indexer start(OpenSearch search, CountingObserver observer, IndexerSettings other) {
    Indexer indexer =
        Indexer.start(TestKafka.cluster(), topic, search, other, observer, TestKafka.TIMEOUT);
    indexers.add(indexer);
    return indexer;
  }

  @Override
  public void close() {
    indexers.forEach(Indexer::close);
    producer.close();
  }
}
