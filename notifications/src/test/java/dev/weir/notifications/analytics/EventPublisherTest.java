package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.ClosedPort;
import dev.weir.notifications.MessageIds;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.provider.ProviderResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EventPublisherTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final MessageIds IDS = new MessageIds(InstantSource.system());

  private final EventTopic topic = new EventTopic("events-" + UUID.randomUUID());
  private final CountingObserver observer = new CountingObserver();

  @Test
  void publishesWhatItIsToldWithTheUserAsTheKey() throws IOException {
    Message sent = message(7);
    Message cancelled = message(8);
    try (EventPublisher publisher = start(TestKafka.cluster(), TestKafka.TIMEOUT)) {
      publisher.publishedLater(sent, 2);
      publisher.cancelled(cancelled);
      publisher.answered(message(9), new SendResult.UnknownUser(9));
      publisher.undecided(message(10));
      publisher.attempted(sent, ProviderResult.Taken.WITHOUT_ID);
      publisher.attempted(sent, new ProviderResult.Retry("busy"));
      publisher.failed(sent);
    }
    List<ConsumerRecord<byte[], byte[]>> records = TestKafka.read(topic.name());
    assertThat(records).hasSize(6);
    assertThat(observer.published).isEqualTo(6);
    assertThat(observer.dropped).isZero();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      JsonTree event = JsonTree.read(record.value());
      UUID id = UUID.fromString(event.at("eventId").text().orElseThrow());
      assertThat(new String(record.key(), StandardCharsets.UTF_8))
          .isEqualTo(event.at("userId").number().orElseThrow().toString());
      switch (event.at("outcome").text().orElseThrow()) {
        case "sent" -> {
          assertThat(id).isEqualTo(sent.id());
          assertThat(event.at("cost").number()).contains(2L);
        }
        case "cancelled" -> assertThat(id).isEqualTo(cancelled.id());
        default -> assertThat(id).isNotEqualTo(sent.id());
      }
    }
    assertThat(records)
        .extracting(record -> JsonTree.read(record.value()).at("outcome").text().orElseThrow())
        .containsExactlyInAnyOrder(
            "sent", "cancelled", "rejected", "failed", "taken", "undelivered");
  }

  /** The cluster never answers; each caller returns, and each event is accounted for. */
  @Test
  void noCallerWaitsWhileKafkaDoesNotAnswerAndLostEventsAreCounted() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    KafkaCluster never =
        new KafkaCluster() {
          @Override
          public Optional<String> bootstrapServers(Duration maxWait) {
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return Optional.empty();
          }

          @Override
          public Map<String, String> clientProperties() {
            return TestKafka.cluster().clientProperties();
          }
        };
    int events = EventPublisher.MAX_QUEUE + 500;
    try (EventPublisher publisher = start(never, SHORT)) {
      for (int i = 0; i < events; i++) {
        publisher.publishedLater(message(i), 2);
      }
      // One is in the hands of the thread, at most, and the queue holds the others.
      assertThat(observer.dropped).isBetween(499L, 500L);
      release.countDown();
    }
    assertThat(observer.published).isZero();
    observer.await(all -> all.dropped, events);
  }

  @Test
  void brokerThatIsDownCostsEventsAndNothingElse() throws IOException {
    try (ClosedPort port = new ClosedPort();
        EventPublisher publisher =
            start(KafkaCluster.at("127.0.0.1:" + port.number(), Map.of()), SHORT)) {
      publisher.publishedLater(message(1), 2);
      observer.await(all -> all.dropped, 1);
    }
    assertThat(observer.published).isZero();
  }

  @Test
  void publishesAgainWhenATopicThatWasDeletedIsCreated() {
    try (EventPublisher publisher = start(TestKafka.cluster(), Duration.ofSeconds(2))) {
      // On a busy machine, events are lost for that reason too: the time-out is short.
      while (observer.published == 0) {
        publishOne(publisher);
      }
      TestKafka.delete(topic.name());
      // Events are lost until the producer learns that the topic is gone, and where the new one is.
      long lost = observer.dropped;
      while (observer.dropped == lost) {
        publishOne(publisher);
      }
      long before = observer.published;
      while (observer.published == before) {
        publishOne(publisher);
      }
    }
  }

  private void publishOne(EventPublisher publisher) {
    long handled = observer.published + observer.dropped;
    publisher.publishedLater(message(2), 2);
    observer.await(all -> all.published + all.dropped, handled + 1);
  }

  @Test
  void whatComesAfterItIsClosedIsCountedAsLost() {
    EventPublisher publisher = start(TestKafka.cluster(), TestKafka.TIMEOUT);
    publisher.close();
    publisher.publishedLater(message(1), 2);
    assertThat(observer.dropped).isEqualTo(1);
  }

  private EventPublisher start(KafkaCluster cluster, Duration timeout) {
    return EventPublisher.start(
        cluster, topic, timeout, InstantSource.system(), observer, TestKafka.TIMEOUT);
  }

  private static Message message(long userId) {
    return new Message(IDS.next(), userId, "hello", 1);
  }
}
