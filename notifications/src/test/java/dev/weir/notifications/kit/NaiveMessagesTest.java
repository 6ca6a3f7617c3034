package dev.weir.notifications.kit;

import java.time.InstantSource;
import java.util.function.Supplier;

/** Runs the kit on its own model: claims that the model does not satisfy are wrong. */
final class NaiveMessagesTest implements MessageStoreKit {
  @Override
  public Supplier<MessageStore> messagesBy(InstantSource clock) {
    MessageStore store = new NaiveMessages(clock).asStore();
    return () -> store;
  }
}
