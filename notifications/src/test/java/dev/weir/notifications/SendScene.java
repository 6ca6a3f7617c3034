package dev.weir.notifications;

import dev.weir.notifications.messages.SendRequest;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserLimit;
import java.time.Duration;
import java.util.Optional;

/** A send path on stores in memory. */
final class SendScene implements AutoCloseable {
  static final Duration SEND_TIMEOUT = Duration.ofSeconds(1);
  static final Duration WINDOW = Duration.ofMinutes(5);

  /** Only a database that never answers takes this long, on however busy a machine. */
  private static final Duration MAX_STORE_WAIT = Duration.ofMinutes(1);

  /** After this time a message that is still in the outbox is published again. */
  static final Duration OLD = SEND_TIMEOUT.plusSeconds(60);

  final MemoryStores stores = new MemoryStores();
  final BrokerHealth health = new BrokerHealth();
  final Outbox outbox = new Outbox(stores);
  final HotFilter hot;
  final Notifications notifications;
  final Republisher republisher;
  final DeferredDispatch dispatch;

  SendScene(Publisher publisher) {
    this(publisher, HotFilter.none());
  }

  SendScene(Publisher publisher, HotFilter hot) {
    this(publisher, hot, SendObserver.NONE);
  }

  SendScene(Publisher publisher, HotFilter hot, SendObserver observer) {
    this.hot = hot;
    this.notifications =
        Notifications.builder(stores, stores, stores, outbox, publisher)
            .hot(hot)
            .health(health)
            .clock(stores.clock)
            .maxStoreWait(MAX_STORE_WAIT)
            .observer(observer)
            .build();
    this.republisher = new Republisher(stores, publisher, health, SEND_TIMEOUT, observer);
    this.dispatch = new DeferredDispatch(stores, publisher, health, hot, outbox, observer);
  }

  void limit(long userId, long rateLimit) {
    var unused = notifications.configure(UserLimit.of(userId, rateLimit, WINDOW));
  }

  SendResult.Answer send(long userId, String text) {
    return notifications.send(userId, text, Optional.empty(), SendRequest.WhenClosed.REFUSE);
  }

  SendResult.Answer send(long userId, String text, String key) {
    return notifications.send(userId, text, Optional.of(key), SendRequest.WhenClosed.REFUSE);
  }

  long count(long userId) {
    return stores.find(userId).orElseThrow().currentCount();
  }

  /** Waits until published messages have left the outbox, and stops. */
  @Override
  public void close() {
    outbox.close();
    hot.close();
  }
}
