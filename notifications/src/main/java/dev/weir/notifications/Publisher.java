package dev.weir.notifications;

import dev.weir.engine.notifications.Message;
import java.util.List;

/** Hands messages to the broker. Thread-safe. */
public interface Publisher extends AutoCloseable {
  /**
   * Publishes messages and waits, up to the send time-out, until it is known what became of each.
   * Messages of one user are published in their order.
   *
   * @return one result for each message, in order
   */
  List<PublishResult> publish(List<Message> messages);

  /** Begins to connect in the background, so that the first message need not wait for it. */
  default void prepare() {}

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
