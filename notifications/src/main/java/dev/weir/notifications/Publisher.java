package dev.weir.notifications;

import dev.weir.notifications.messages.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Hands messages to the broker. Thread-safe. */
public interface Publisher extends AutoCloseable {
  /**
   * Begins to publish messages, and does not wait for the broker. Messages of one user are
   * published in their order.
   *
   * @return the result of each message, in order. Each is completed within a little more than the
   *     send time-out, and never exceptionally
   */
  List<CompletableFuture<PublishResult>> begin(List<Message> messages);

  /** Publishes messages, and waits until it is known what became of each. */
  default List<PublishResult> publish(List<Message> messages) {
    return begin(messages).stream().map(CompletableFuture::join).toList();
  }

  /** Begins to connect in the background, so that the first message need not wait for it. */
  default void prepare() {}

  /** Returns true if the broker is being started, so that it cannot answer yet. */
  default boolean isStarting() {
    return false;
  }

  /**
   * Returns normally if the broker answers and has the topics; creates those that are missing.
   *
   * @throws dev.weir.notifications.kafka.KafkaUnavailableException if it does not
   */
  void probe();

  /** Stops after a short wait for messages that are on their way. */
  @Override
  void close();
}
