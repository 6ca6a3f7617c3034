package dev.weir.notifications;

import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.MessageRecord;
import dev.weir.notifications.messages.SendResult;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Sends deferred messages when they are due. It has to run periodically, on its own thread; any
 * number of nodes may do so.
 *
 * <p>A message that the broker does not take stays in the outbox, and the {@link Republisher}
 * publishes it: its request was answered long ago, so it cannot be withdrawn.
 */
public final class DeferredDispatch implements Runnable {
  /** How often it should run. */
  public static final Duration EVERY = Duration.ofSeconds(1);

  private static final int MAX_BATCH = 200;

  private final DeferredMessages deferred;
  private final Publisher publisher;
  private final BrokerHealth health;
  private final HotFilter hot;
  private final Outbox outbox;
  private final SendObserver observer;

  public DeferredDispatch(
      DeferredMessages deferred,
      Publisher publisher,
      BrokerHealth health,
      HotFilter hot,
      Outbox outbox) {
    this(deferred, publisher, health, hot, outbox, SendObserver.NONE);
  }

  /** Creates a dispatch with an observer. */
  public DeferredDispatch(
      DeferredMessages deferred,
      Publisher publisher,
      BrokerHealth health,
      HotFilter hot,
      Outbox outbox,
      SendObserver observer) {
    this.deferred = deferred;
    this.publisher = publisher;
    this.health = health;
    this.hot = hot;
    this.outbox = outbox;
    this.observer = observer;
  }

  /**
   * Sends the messages that are due and have a place in the limits of their users.
   *
   * @throws dev.weir.StoreException if the database fails
   */
  @Override
  public void run() {
    int handled;
    do {
      handled = health.isDown() ? 0 : release();
    } while (handled == MAX_BATCH);
  }

  /**
   * Handles the messages that have been due for the longest time. Those without a place are due
   * later afterwards, so the ones behind them follow.
   *
   * @return how many were due, up to the maximum of a batch
   */
  private int release() {
    List<UUID> due =
        deferred.due(MAX_BATCH).stream().map(MessageRecord::message).map(Message::id).toList();
    if (due.isEmpty()) {
      return 0;
    }
    List<SendResult.Accepted> accepted = deferred.release(due);
    accepted.forEach(one -> hot.learn(one.state()));
    List<Message> messages = accepted.stream().map(SendResult.Accepted::message).toList();
    if (messages.isEmpty()) {
      return due.size();
    }
    List<PublishResult> results = publisher.publish(messages);
    for (int i = 0; i < results.size(); i++) {
      health.failedBy(results.get(i));
      if (results.get(i) instanceof PublishResult.Done) {
        outbox.published(messages.get(i).id());
        observer.publishedLater(messages.get(i), accepted.get(i).state());
      }
    }
    return due.size();
  }
}
