package dev.weir.notifications.analytics;

import dev.weir.notifications.MessageIds;
import dev.weir.notifications.SendObserver;
import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.sender.SenderObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes events in the background. No caller waits for it: an event that finds no room is lost,
 * and so is one that Kafka does not take in time. Lost events are counted, and logged once for each
 * outage. Thread-safe.
 *
 * <p>The id of an event is new, except for those of which a message has one, {@code sent} and
 * {@code cancelled}: their id is the one of the message, so that they are indexed once, however
 * often a message is published.
 */
public final class EventPublisher implements SendObserver, SenderObserver, AutoCloseable {
  static final int MAX_QUEUE = 10_000;

  private static final Logger log = LoggerFactory.getLogger(EventPublisher.class);
  private static final Duration RECONNECT_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_CLOSE = Duration.ofSeconds(3);

  private final KafkaCluster cluster;
  private final EventTopic topic;
  private final Duration timeout;
  private final InstantSource clock;
  private final AnalyticsObserver observer;
  private final Duration maxClose;
  private final MessageIds ids;
  private final BlockingQueue<NotificationEvent> queue = new ArrayBlockingQueue<>(MAX_QUEUE);
  private final AtomicBoolean isDropping = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /** Used by the thread only. */
  private @Nullable Producer<byte[], byte[]> producer;

  /** True after a failure, the reason of which may be that the topic is missing. */
  private volatile boolean isTopicDoubtful;

  private EventPublisher(
      KafkaCluster cluster,
      EventTopic topic,
      Duration timeout,
      InstantSource clock,
      AnalyticsObserver observer,
      Duration maxClose) {
    this.cluster = cluster;
    this.topic = topic;
    this.timeout = timeout;
    this.clock = clock;
    this.observer = observer;
    this.maxClose = maxClose;
    this.ids = new MessageIds(clock);
    this.thread = Thread.ofPlatform().daemon().name("weir-events").unstarted(this::run);
  }

  /**
   * Starts a publisher. It connects when there is a first event.
   *
   * @param timeout maximum time until Kafka has an event
   */
  public static EventPublisher start(
      KafkaCluster cluster,
      EventTopic topic,
      Duration timeout,
      InstantSource clock,
      AnalyticsObserver observer) {
    return start(cluster, topic, timeout, clock, observer, MAX_CLOSE);
  }

  /**
   * Starts a publisher.
   *
   * @param maxClose how long a close waits for what is queued, and as long again for its end
   */
  static EventPublisher start(
      KafkaCluster cluster,
      EventTopic topic,
      Duration timeout,
      InstantSource clock,
      AnalyticsObserver observer,
      Duration maxClose) {
    EventPublisher publisher =
        new EventPublisher(cluster, topic, timeout, clock, observer, maxClose);
    publisher.thread.start();
    return publisher;
  }

  @Override
  public void answered(Message request, SendResult.Answer outcome) {
    add(NotificationEvent.of(clock.instant(), request, outcome));
  }

  @Override
  public void undecided(Message request) {
    add(NotificationEvent.undecided(clock.instant(), request));
  }

  @Override
  public void publishedLater(Message message, long cost) {
    add(plain(NotificationEvent.Outcome.SENT, message).withCost(cost));
  }

  @Override
  public void publishedLater(Message message, UserState state) {
    add(plain(NotificationEvent.Outcome.SENT, message).withState(state));
  }

  /** A deferred message was cancelled. */
  public void cancelled(Message message) {
    add(plain(NotificationEvent.Outcome.CANCELLED, message));
  }

  @Override
  public void attempted(Message message, ProviderResult result) {
    if (result instanceof ProviderResult.Taken) {
      add(plain(NotificationEvent.Outcome.TAKEN, message));
    }
  }

  @Override
  public void failed(Message message) {
    add(plain(NotificationEvent.Outcome.UNDELIVERED, message));
  }

  private NotificationEvent plain(NotificationEvent.Outcome outcome, Message message) {
    return NotificationEvent.plain(clock.instant(), outcome, message);
  }

  private void add(NotificationEvent event) {
    if (isClosed() || !queue.offer(event)) {
      dropped("%d events wait for Kafka".formatted(MAX_QUEUE));
    }
  }

  private void run() {
    try {
      while (!isClosed() || !queue.isEmpty()) {
        if (!publish(queue.take())) {
          var unused = closed.await(RECONNECT_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      // Closed while it waited for an event or for Kafka.
      queue.forEach(event -> dropped("closed"));
    }
    // A signal that came late must not keep the producer from sending what it has.
    var unused = Thread.interrupted();
    disconnect(maxClose);
  }

  /** Returns false if Kafka is not connected. */
  private boolean publish(NotificationEvent event) {
    try {
      send(connect(), event);
      return true;
    } catch (KafkaUnavailableException e) {
      dropped(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      // A producer that throws instead of calling back may never work again.
      dropped(e.toString());
      disconnect(Duration.ZERO);
    }
    return false;
  }

  private Producer<byte[], byte[]> connect() {
    Producer<byte[], byte[]> known = producer;
    if (known != null && !isTopicDoubtful) {
      return known;
    }
    KafkaClients clients = KafkaClients.of(cluster, timeout);
    try (Admin admin = clients.admin(timeout)) {
      topic.create(admin);
    }
    isTopicDoubtful = false;
    if (known == null) {
      known = clients.backgroundProducer(timeout);
      producer = known;
    }
    return known;
  }

  private void disconnect(Duration max) {
    Producer<byte[], byte[]> known = producer;
    producer = null;
    if (known != null) {
      known.close(max);
    }
  }

  private void send(Producer<byte[], byte[]> connected, NotificationEvent event) {
    byte[] key = MessageRecords.bytes(Long.toString(event.userId()));
    byte[] value = EventJson.write(id(event), event);
    var unused =
        connected.send(
            new ProducerRecord<>(topic.name(), key, value),
            (metadata, failure) -> {
              if (failure == null) {
                published();
              } else {
                // The topic may be gone; it is created before the next event.
                isTopicDoubtful = true;
                dropped(String.valueOf(failure.getMessage()));
              }
            });
  }

  private UUID id(NotificationEvent event) {
    return switch (event.outcome()) {
      case SENT, CANCELLED ->
          event.messageId().filter(MessageIds::hasTime).orElseGet(() -> ids.at(event.at()));
      case REPEATED, DEFERRED, LIMITED, CLOSED, REJECTED, FAILED, TAKEN, UNDELIVERED ->
          ids.at(event.at());
    };
  }

  private void published() {
    observer.published();
    if (isDropping.compareAndSet(true, false)) {
      log.info("Events are published again");
    }
  }

  private void dropped(String reason) {
    observer.dropped();
    if (isDropping.compareAndSet(false, true)) {
      log.warn("Events are lost until Kafka takes them: {}", reason);
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Publishes what is queued, as far as Kafka takes it in time, and stops. */
  @Override
  public void close() {
    closed.countDown();
    try {
      if (queue.isEmpty() || !thread.join(maxClose)) {
        thread.interrupt();
        thread.join(maxClose);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
