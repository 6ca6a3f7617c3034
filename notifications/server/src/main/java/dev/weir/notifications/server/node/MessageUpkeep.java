package dev.weir.notifications.server.node;

import dev.weir.node.lifecycle.OpenParts;
import dev.weir.node.lifecycle.Upkeep;
import dev.weir.notifications.BrokerHealth;
import dev.weir.notifications.DeferredDispatch;
import dev.weir.notifications.HotFilter;
import dev.weir.notifications.Outbox;
import dev.weir.notifications.Publisher;
import dev.weir.notifications.Republisher;
import dev.weir.notifications.SendObserver;
import dev.weir.notifications.messages.MessageLog;
import java.time.Duration;

/** The periodic tasks of messages. */
final class MessageUpkeep {
  private static final Duration BETWEEN_REMOVALS = Duration.ofMinutes(1);
  private static final int MAX_REMOVED = 1_000;
  private static final int MAX_STEPS = 100;

  private MessageUpkeep() {}

  /**
   * Starts the tasks.
   *
   * @param open receives each of them
   */
  static void start(
      NotificationSettings settings,
      OpenNotifications.Stores stores,
      Publisher publisher,
      BrokerHealth health,
      HotFilter hot,
      Outbox outbox,
      SendObserver observer,
      OpenParts open) {
    Republisher republisher =
        new Republisher(stores.ledger(), publisher, health, settings.sendTimeout(), observer);
    if (settings.kafka().cluster().isPresent()) {
      // A broker that is missing is reported before the first message finds out.
      republisher.probeFirst();
    }
    open.add(Upkeep.start("publishing of messages", republisher, Republisher.EVERY));
    DeferredDispatch dispatch =
        new DeferredDispatch(stores.deferred(), publisher, health, hot, outbox, observer);
    open.add(Upkeep.start("sending of deferred messages", dispatch, DeferredDispatch.EVERY));
    open.add(
        Upkeep.start(
            "removal of old messages",
            () -> removeOld(stores.messages(), settings.retention()),
            BETWEEN_REMOVALS));
  }

  private static void removeOld(MessageLog messages, Duration retention) {
    int removed = MAX_REMOVED;
    for (int step = 0; step < MAX_STEPS && removed == MAX_REMOVED; step++) {
      removed = messages.removeOlder(retention, MAX_REMOVED);
    }
  }
}
