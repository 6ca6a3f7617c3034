package dev.weir.notifications.sender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.notifications.KafkaPublisher;
import dev.weir.notifications.MemoryStores;
import dev.weir.notifications.PublishResult;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.broker.EmbeddedKafka;
import dev.weir.notifications.broker.PatientKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.internal.LossyRelay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Senders whose Kafka is away for a while, or that stop. A group waits half an hour for a member.
 */
@Timeout(600)
final class KafkaOutageTest {
  private static final MessageTopics TOPICS = MessageTopics.DEFAULT;

  /** Longer than this test has, and as long as a broker allows. */
  private static final String SESSION_MILLIS = "1800000";

  private final MemoryStores stores = new MemoryStores();
  private LossyRelay relay;
  private EmbeddedKafka broker;
  private KafkaCluster cluster;
  private KafkaPublisher publisher;

  @BeforeEach
  void start(@TempDir Path folder) {
    broker = PatientKafka.behind(folder.resolve("kafka"), this::startRelay);
    String servers = broker.bootstrapServers(Duration.ofMinutes(5)).orElseThrow();
    Map<String, String> properties = new HashMap<>(broker.clientProperties());
    properties.put("session.timeout.ms", SESSION_MILLIS);
    cluster = KafkaCluster.at(servers, properties);
    publisher = new KafkaPublisher(broker, TOPICS, TestKafka.TIMEOUT);
  }

  private int startRelay(int port) {
    try {
      relay = new LossyRelay(port);
      return relay.port();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void close() throws IOException {
    publisher.close();
    broker.close();
    relay.close();
  }

  @Test
  void senderGoesOnAsSoonAsKafkaIsBack() throws Exception {
    TestProvider provider = TestProvider.taking();
    try (Sender sender = start(provider)) {
      publish(1);
      provider.awaitTaken(1);
      relay.cut();
      Await.until(sender::isKafkaDown);
      relay.mend();
      publish(2);
      provider.awaitTaken(2);
    }
    assertThat(provider.taken()).extracting(Message::userId).containsExactly(1L, 2L);
  }

  @Test
  void senderThatStopsLeavesItsMessagesToOthersImmediately() {
    TestProvider first = TestProvider.taking();
    TestProvider second = TestProvider.taking();
    Sender stopping = start(first);
    publish(1);
    first.awaitTaken(1);
    stopping.close();
    Sender next = start(second);
    publish(2);
    second.awaitTaken(1);
    next.close();
    assertThat(second.taken()).extracting(Message::userId).containsExactly(2L);
  }

  private Sender start(TestProvider provider) {
    SenderSettings usual = SenderSettings.DEFAULT;
    return Sender.start(
        cluster,
        TOPICS,
        provider,
        stores,
        new SenderSettings(
            usual.group(),
            usual.maxInFlight(),
            usual.maxBuffered(),
            SenderScene.QUICK,
            usual.repetition(),
            Optional.empty(),
            // A busy machine may need longer; then the sender connects once more.
            Duration.ofSeconds(4),
            usual.recordTime()),
        stores.clock,
        SenderObserver.NONE);
  }

  private void publish(long userId) {
    Message message = new Message(UUID.randomUUID(), userId, "text", 1);
    stores.addPublished(List.of(message));
    assertThat(publisher.publish(List.of(message))).hasOnlyElementsOfType(PublishResult.Done.class);
  }
}
