package dev.weir.notifications.sender;

import dev.weir.notifications.kafka.KafkaUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The id of a topic, which changes when the topic is deleted and created again. A consumer goes on
 * at its position then, and would skip everything before it. Not thread-safe.
 */
final class TopicIdentity {
  private static final Logger log = LoggerFactory.getLogger(TopicIdentity.class);
  private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  private final Admin admin;
  private final String topic;
  private Uuid id;
  private @Nullable KafkaFuture<TopicDescription> question;
  private long askedNanos = System.nanoTime();

  /**
   * Creates the identity of a topic that exists.
   *
   * @param admin stays open as long as this is used
   * @throws KafkaUnavailableException if Kafka does not answer in time
   */
  TopicIdentity(Admin admin, String topic, Duration timeout) {
    this.admin = admin;
    this.topic = topic;
    try {
      this.id = answer(timeout);
    } catch (ExecutionException e) {
      throw notKnown(e);
    }
  }

  private Uuid answer(Duration timeout) throws ExecutionException {
    try {
      return ask().get(timeout.toMillis(), TimeUnit.MILLISECONDS).topicId();
    } catch (TimeoutException e) {
      throw notKnown(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaUnavailableException("interrupted", e);
    }
  }

  private KafkaUnavailableException notKnown(Exception failure) {
    return new KafkaUnavailableException(
        "topic " + topic + " is not known: " + failure.getMessage(), failure);
  }

  private KafkaFuture<TopicDescription> ask() {
    return Objects.requireNonNull(
        admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
  }

  /** Returns the id as a text. */
  String id() {
    return id.toString();
  }

  /**
   * Returns true if the topic exists and has the {@link #id}. Waits for the answer.
   *
   * @throws KafkaUnavailableException if Kafka does not answer in time
   */
  boolean isSame(Duration timeout) {
    try {
      return answer(timeout).equals(id);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw notKnown(e);
    }
  }

  /**
   * Returns true if the topic is another one than at the last call. Asks from time to time, and
   * never waits for the answer.
   *
   * @throws KafkaUnavailableException if there was no answer. A consumer does not notice that
   */
  boolean hasChanged() {
    KafkaFuture<TopicDescription> asked = question;
    if (asked == null) {
      if (System.nanoTime() - askedNanos > PAUSE_NANOS) {
        askedNanos = System.nanoTime();
        question = ask();
      }
      return false;
    }
    if (!asked.isDone()) {
      return false;
    }
    question = null;
    if (asked.isCompletedExceptionally()) {
      Throwable failure = asked.exceptionNow();
      if (failure instanceof UnknownTopicOrPartitionException) {
        // It is deleted, and will be created by the next message.
        return false;
      }
      throw new KafkaUnavailableException("no answer: " + failure.getMessage(), failure);
    }
    Uuid known = id;
    id = asked.resultNow().topicId();
    if (id.equals(known)) {
      return false;
    }
    log.warn("Topic {} was created anew, and is read from its beginning", topic);
    return true;
  }
}
