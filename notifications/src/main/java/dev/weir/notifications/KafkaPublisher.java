package dev.weir.notifications;

import dev.weir.notifications.kafka.KafkaClients;
import dev.weir.notifications.kafka.KafkaCluster;
import dev.weir.notifications.kafka.KafkaUnavailableException;
import dev.weir.notifications.kafka.MessageRecords;
import dev.weir.notifications.kafka.MessageTopics;
import dev.weir.notifications.messages.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to Kafka. Connects when it is first needed, and creates the topics then.
 *
 * <p>A message that never got into the producer's buffer is refused for certain. What went wrong
 * with a message after that may have come from a repetition of a request whose first answer was
 * lost, so it is unknown, except for errors that each repetition would have had.
 *
 * <p>Kafka's producer asks for its id once: if Kafka does not let it in then, it never takes a
 * message again, whatever Kafka says later. So producers that fail while Kafka answers a {@link
 * #probe} are replaced by the next one.
 */
public final class KafkaPublisher implements Publisher {
  private static final Logger log = LoggerFactory.getLogger(KafkaPublisher.class);

  /** More than the producer needs to give up, so that this wait ends only if the producer hangs. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private static final String BROKE_OFF = "the publisher broke off";

  private static final Duration MAX_CLOSE = Duration.ofSeconds(2);

  private final KafkaCluster cluster;
  private final MessageTopics topics;
  private final Duration sendTimeout;
  private final ReentrantLock connecting = new ReentrantLock();
  private @Nullable CompletableFuture<UserProducers> connection;
  private boolean isClosed;

  /** Whether Kafka has answered the last probe. */
  private volatile boolean isAnswering;

  /** Whether a message has failed although Kafka had answered. */
  private volatile boolean isSuspect;

  /**
   * Creates a publisher; it connects when it is first used.
   *
   * @param sendTimeout maximum time until the result of a message is known
   */
  public KafkaPublisher(KafkaCluster cluster, MessageTopics topics, Duration sendTimeout) {
    this.cluster = cluster;
    this.topics = topics;
    this.sendTimeout = sendTimeout;
  }

  /** Threads of their own publish the messages: a connection or a full buffer may take time. */
  @Override
  public List<CompletableFuture<PublishResult>> begin(List<Message> messages) {
    List<Sending> sendings = new ArrayList<>(messages.size());
    for (Message message : messages) {
      sendings.add(
          new Sending(
              MessageRecords.encode(topics.outbound(), message), new CompletableFuture<>()));
    }
    Thread.ofVirtual().name("weir-kafka-publish").start(() -> connectAndPublish(sendings));
    return sendings.stream().map(sending -> sending.result().thenApply(this::noted)).toList();
  }

  private PublishResult noted(PublishResult result) {
    switch (result) {
      case PublishResult.Done done -> {}
      case PublishResult.Rejected rejected -> {}
      case PublishResult.Refused refused -> isSuspect = isAnswering;
      case PublishResult.Unknown unknown -> isSuspect = isAnswering;
    }
    return result;
  }

  /** A record that is sent to the broker, and what became of it. */
  record Sending(ProducerRecord<byte[], byte[]> record, CompletableFuture<PublishResult> result) {}

  private void connectAndPublish(List<Sending> sendings) {
    try {
      publish(connect(), sendings, sendTimeout);
    } catch (KafkaException | KafkaUnavailableException e) {
      complete(sendings, new PublishResult.Refused(reason(e)));
    } catch (RuntimeException | Error e) {
      complete(sendings, new PublishResult.Unknown(BROKE_OFF));
      throw e;
    }
  }

  /** Each producer has a thread of its own: one whose buffer is full delays no other. */
  static void publish(UserProducers producers, List<Sending> sendings, Duration sendTimeout) {
    IdentityHashMap<Producer<byte[], byte[]>, List<Sending>> byProducer = new IdentityHashMap<>();
    for (Sending sending : sendings) {
      byProducer
          .computeIfAbsent(producers.of(sending.record().key()), any -> new ArrayList<>())
          .add(sending);
    }
    byProducer.forEach(
        (producer, own) ->
            Thread.ofVirtual()
                .name("weir-kafka-send")
                .start(() -> publish(producer, own, sendTimeout)));
  }

  private static void publish(
      Producer<byte[], byte[]> producer, List<Sending> sendings, Duration sendTimeout) {
    long beganNanos = System.nanoTime();
    String missing = BROKE_OFF;
    try {
      sendAll(producer, sendings, beganNanos + sendTimeout.dividedBy(2).toNanos());
      missing = "no answer in time";
      long deadlineNanos = beganNanos + sendTimeout.plus(MARGIN).toNanos();
      CompletableFuture.allOf(
              sendings.stream().map(Sending::result).toArray(CompletableFuture[]::new))
          .get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      log.debug("The producer hangs: {}", e.getMessage());
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("unexpected end of the wait for the broker", e);
    } finally {
      // Callers wait for their results without a limit of their own.
      complete(sendings, new PublishResult.Unknown(missing));
    }
  }

  /** Completes what is not complete yet. */
  private static void complete(List<Sending> sendings, PublishResult result) {
    sendings.forEach(sending -> sending.result().complete(result));
  }

  /**
   * Sends records in order. What is not in the buffer in time is refused: a buffer that is full may
   * take each record only after a wait, and all that follow would wait in turn.
   */
  private static void sendAll(
      Producer<byte[], byte[]> producer, List<Sending> sendings, long bufferedByNanos) {
    @Nullable PublishResult refused = null;
    for (Sending sending : sendings) {
      if (refused == null) {
        send(producer, sending);
        refused =
            sending.result().getNow(null) instanceof PublishResult.Refused first ? first : null;
        if (refused == null && System.nanoTime() - bufferedByNanos > 0) {
          refused = new PublishResult.Refused("the producer did not take the message in time");
        }
      } else {
        sending.result().complete(refused);
      }
    }
  }

  private static void send(Producer<byte[], byte[]> producer, Sending sending) {
    long senderId = Thread.currentThread().threadId();
    CompletableFuture<PublishResult> result = sending.result();
    try {
      var unused =
          producer.send(
              sending.record(),
              (metadata, failure) -> {
                // The sending thread is called back only for what failed before it was in the
                // buffer, the producer's thread for all that was.
                boolean isBuffered = Thread.currentThread().threadId() != senderId;
                result.complete(result(failure, isBuffered));
              });
    } catch (KafkaException | IllegalStateException e) {
      // Closed, or a failure that the producer does not call back for: not in the buffer either.
      result.complete(result(e, false));
    }
  }

  private static PublishResult result(@Nullable Exception failure, boolean isBuffered) {
    if (failure == null) {
      return PublishResult.Done.DONE;
    }
    if (failure instanceof RecordTooLargeException || failure instanceof InvalidTopicException) {
      return new PublishResult.Rejected(reason(failure));
    }
    return isBuffered
        ? new PublishResult.Unknown(reason(failure))
        : new PublishResult.Refused(reason(failure));
  }

  @Override
  public void probe() {
    boolean wasSuspect = isSuspect;
    isSuspect = false;
    isAnswering = false;
    try {
      var unused = connect();
    } catch (KafkaException e) {
      // Settings that Kafka's client does not accept.
      throw new KafkaUnavailableException(reason(e), e);
    }
    createTopics();
    isAnswering = true;
    if (wasSuspect) {
      disconnect();
    }
  }

  /** Lets the next message open new producers. The old ones send what they still can. */
  private void disconnect() {
    CompletableFuture<UserProducers> known;
    connecting.lock();
    try {
      known = connection;
      if (isClosed || known == null || !known.isDone() || known.isCompletedExceptionally()) {
        return;
      }
      connection = null;
    } finally {
      connecting.unlock();
    }
    log.info("Producers are opened anew, because messages failed although Kafka answers");
    Thread.ofVirtual().name("weir-kafka-close").start(() -> known.join().close(sendTimeout));
  }

  private void createTopics() {
    try (Admin admin = KafkaClients.of(cluster, sendTimeout).admin(sendTimeout.dividedBy(2))) {
      topics.create(admin);
    } catch (KafkaException e) {
      throw new KafkaUnavailableException(reason(e), e);
    }
  }

  @Override
  public void prepare() {
    var unused = connection();
  }

  @Override
  public boolean isStarting() {
    return cluster.isStarting();
  }

  private UserProducers connect() {
    try {
      return connection().get(sendTimeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new KafkaUnavailableException(
          cluster.isStarting()
              ? cluster + " is being started"
              : "the connection takes longer than " + sendTimeout,
          e);
    } catch (ExecutionException e) {
      throw new KafkaUnavailableException(reason(e.getCause() == null ? e : e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("interrupted while it connects", e);
    }
  }

  /** Returns the connection that all callers share; begins one if there is none. */
  private CompletableFuture<UserProducers> connection() {
    connecting.lock();
    try {
      CompletableFuture<UserProducers> known = connection;
      if (known != null && !known.isCompletedExceptionally()) {
        return known;
      }
      CompletableFuture<UserProducers> result = new CompletableFuture<>();
      if (isClosed) {
        result.completeExceptionally(new KafkaUnavailableException("the publisher is closed"));
        return result;
      }
      connection = result;
      // A caller waits no longer than its own time-out for something that takes several steps.
      Thread.ofVirtual().name("weir-kafka-connect").start(() -> connect(result));
      return result;
    } finally {
      connecting.unlock();
    }
  }

  private void connect(CompletableFuture<UserProducers> result) {
    try {
      KafkaClients clients = KafkaClients.of(cluster, sendTimeout);
      createTopicsOnce(clients);
      connected(result, UserProducers.open(clients, sendTimeout));
    } catch (RuntimeException | Error e) {
      // Callers get the failure, and the next one begins again.
      result.completeExceptionally(e);
    }
  }

  private void connected(CompletableFuture<UserProducers> result, UserProducers producers) {
    connecting.lock();
    try {
      if (isClosed) {
        producers.close(Duration.ZERO);
        throw new KafkaUnavailableException("the publisher is closed");
      }
      result.complete(producers);
    } finally {
      connecting.unlock();
    }
  }

  /**
   * Without permission to create topics, those that an operator created can still be used. If there
   * are none, the first message fails, and the probe reports why.
   */
  private void createTopicsOnce(KafkaClients clients) {
    try (Admin admin = clients.admin(sendTimeout.dividedBy(2))) {
      topics.create(admin);
    } catch (KafkaUnavailableException e) {
      log.debug("Topics are not checked: {}", e.getMessage());
    }
  }

  private static String reason(Throwable failure) {
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }

  @Override
  public void close() {
    CompletableFuture<UserProducers> known;
    connecting.lock();
    try {
      isClosed = true;
      known = connection;
    } finally {
      connecting.unlock();
    }
    if (known != null && known.isDone() && !known.isCompletedExceptionally()) {
      known.join().close(MAX_CLOSE);
    }
  }
}
