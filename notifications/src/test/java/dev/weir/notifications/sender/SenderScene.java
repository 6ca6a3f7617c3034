package dev.weir.notifications.sender;

import dev.weir.notifications.KafkaPublisher;
import dev.weir.notifications.MemoryStores;
import dev.weir.notifications.PublishResult;
import dev.weir.notifications.TestKafka;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.provider.SmsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Topics, a group and a log of its own for senders under test. */
final class SenderScene implements AutoCloseable {
  static final RetryPolicy QUICK =
      new RetryPolicy(Duration.ofHours(1), 3, Duration.ofMillis(1), Duration.ofMillis(2));

  final MemoryStores stores = new MemoryStores();
  final MessageTopics topics = TestKafka.createTopics();
  final SenderSettings settings = TestKafka.senderSettings().withRetries(QUICK);

  private final KafkaPublisher publisher =
      new KafkaPublisher(TestKafka.cluster(), topics, TestKafka.TIMEOUT);
  private final List<Sender> senders = new ArrayList<>();

  Sender start(SmsProvider provider) {
    return start(provider, stores, settings);
  }

  Sender start(SmsProvider provider, MessageLog log, SenderSettings other) {
    return start(provider, log, other, SenderObserver.NONE);
  }

  Sender start(
      SmsProvider provider, MessageLog log, SenderSettings other, SenderObserver observer) {
    Sender sender =
        Sender.start(TestKafka.cluster(), topics, provider, log, other, stores.clock, observer);
    senders.add(sender);
    return sender;
  }

  /** Returns a replay that no other one disturbs. */
  DeadLetterReplay replay(KafkaCluster cluster) {
    return new DeadLetterReplay(
        cluster,
        topics,
        TestKafka.TIMEOUT,
        work -> {
          work.run();
          return true;
        });
  }

  static Message message(long userId, String text) {
    return new Message(UUID.randomUUID(), userId, text, 1);
  }

  /** Publishes messages that the log knows. */
  void publish(List<Message> messages) {
    stores.addPublished(messages);
    publishAgain(messages);
  }

  /** Publishes messages once more. */
  void publishAgain(List<Message> messages) {
    for (PublishResult result : publisher.publish(messages)) {
      if (!(result instanceof PublishResult.Done)) {
        throw new AssertionError("not published: " + result);
      }
    }
  }

  @Override
  public void close() {
    senders.forEach(Sender::close);
    publisher.close();
  }
}
