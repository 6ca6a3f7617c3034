package dev.weir.notifications.sender;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.DeliveryGuarantee;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.provider.SmsProvider;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads published messages and hands them to a provider: in order for each user, one message of a
 * user at a time, many users in parallel. A message that is recorded as delivered is not handed
 * over again, however often it was published; one that may have been delivered is, or is not, as
 * the settings say.
 *
 * <p>Several senders of one group share the partitions. A sender that loses a partition finishes
 * what it has handed to the provider before the next sender begins, for as long as the provider may
 * need for an answer. What has none then is recorded as handed over, which the next sender sees.
 *
 * <p>If Kafka fails, the sender reconnects until it is closed; that is logged once. It keeps its
 * place in the group meanwhile, so that messages go on as soon as Kafka is back.
 */
public final class Sender implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Sender.class);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final int MAX_POLL = 500;

  private final KafkaCluster cluster;
  private final MessageTopics topics;
  private final SmsProvider provider;
  private final MessageLog messages;
  private final SenderSettings settings;
  private final InstantSource clock;
  private final SenderObserver observer;
  private final FailingUsers failingUsers = new FailingUsers();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Its name in the group. */
  private final String member = UUID.randomUUID().toString();

  private final Thread thread;

  /** Written by the thread only. */
  private volatile boolean isKafkaDown;

  /** Written by the thread only. */
  private volatile Backlog backlog = Backlog.NONE;

  private Sender(
      KafkaCluster cluster,
      MessageTopics topics,
      SmsProvider provider,
      MessageLog messages,
      SenderSettings settings,
      InstantSource clock,
      SenderObserver observer) {
    this.cluster = cluster;
    this.topics = topics;
    this.provider = provider;
    this.messages = messages;
    this.settings = settings;
    this.clock = clock;
    this.observer = observer;
    this.thread = Thread.ofPlatform().daemon().name("weir-sender").unstarted(this::run);
  }

  /** Starts a sender. The provider stays open when the sender is closed. */
  public static Sender start(
      KafkaCluster cluster,
      MessageTopics topics,
      SmsProvider provider,
      MessageLog messages,
      SenderSettings settings,
      InstantSource clock,
      SenderObserver observer) {
    Sender sender = new Sender(cluster, topics, provider, messages, settings, clock, observer);
    sender.thread.start();
    return sender;
  }

  /** Returns what this sender has before it, as of a moment ago. */
  public Backlog backlog() {
    return backlog;
  }

  /** Returns how long the oldest message that was read has waited; zero if none waits. */
  public Duration oldestAge() {
    return backlog.age(clock.instant());
  }

  /** Returns true if Kafka failed and messages have not been read since. */
  public boolean isKafkaDown() {
    return isKafkaDown;
  }

  private void run() {
    // A pause that outlives a connection, because it is the provider that asked for it.
    ProviderGate gate =
        new ProviderGate(
            provider.name(), settings.maxInFlight(), settings.rate(), settings.retries());
    do {
      try {
        consume(gate);
      } catch (KafkaException | KafkaUnavailableException e) {
        if (!isKafkaDown) {
          isKafkaDown = true;
          log.warn("No messages are read until Kafka is back: {}", e.getMessage());
        }
      } catch (RuntimeException | Error e) {
        // If this thread ended, nothing would be sent any more.
        log.error("The sender failed and starts again", e);
      }
    } while (!awaitClosed(RECONNECT_PAUSE));
  }

  private void consume(ProviderGate gate) {
    KafkaClients clients = KafkaClients.of(cluster, settings.kafkaTimeout());
    Admin admin = clients.admin(settings.kafkaTimeout());
    try {
      topics.create(admin);
      TopicIdentity identity = new TopicIdentity(admin, topics.outbound(), settings.kafkaTimeout());
      consume(gate, clients, identity);
    } finally {
      // Without a wait for what it has asked.
      admin.close(Duration.ZERO);
    }
  }

  private void consume(ProviderGate gate, KafkaClients clients, TopicIdentity identity) {
    Consumer<byte[], byte[]> consumer =
        clients.member(settings.group(), member, Math.min(MAX_POLL, settings.maxBuffered()));
    try (Producer<byte[], byte[]> producer = clients.producer(settings.kafkaTimeout())) {
      MessageDelivery delivery =
          new MessageDelivery(
              provider,
              gate,
              messages,
              new DeadLetters(producer, topics.deadLetters()),
              new MessageDelivery.FailureHandling(settings.retries(), guarantee(), failingUsers),
              clock,
              observer);
      if (isKafkaDown) {
        isKafkaDown = false;
        log.info("Messages are read again");
      }
      OrderedConsumer ordered =
          new OrderedConsumer(
              consumer,
              topics.outbound(),
              identity,
              delivery,
              settings,
              maxRevocation(),
              next -> backlog = next);
      ordered.run(this::isClosed);
    } finally {
      KafkaClients.close(consumer, isClosed());
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private DeliveryGuarantee guarantee() {
    return switch (settings.repetition()) {
      case AT_MOST_ONCE -> new DeliveryGuarantee.AtMostOnce();
      case AT_LEAST_ONCE -> new DeliveryGuarantee.AtLeastOnce(provider.maxAnswerTime());
    };
  }

  /**
   * Returns how long a partition that goes to another sender waits for what is handed over: longer
   * than the provider may need for an answer.
   */
  private Duration maxRevocation() {
    return provider.maxAnswerTime().plus(settings.recordTime());
  }

  private boolean awaitClosed(Duration max) {
    try {
      return closed.await(max.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Stops reading, waits for messages that are in progress, and commits what is done. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(maxRevocation().plus(settings.kafkaTimeout()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
