package dev.weir.notifications.sender;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.provider.ProviderResult;

/**
 * Learns what a sender does. Called on the path of each message, so it must be quick and must not
 * throw. Thread-safe.
 */
public interface SenderObserver {
  SenderObserver NONE = new SenderObserver() {};

  /** A provider answered. */
  default void attempted(Message message, ProviderResult result) {}

  /** A message was not handed over, because it was delivered before. */
  default void dropped(Message message) {}

  /** A message could not be delivered and is among the dead letters. */
  default void failed(Message message) {}

  /** A record could not be delivered and is among the dead letters. */
  default void deadLettered(String reason) {}

  /** Returns an observer that tells two. */
  static SenderObserver both(SenderObserver first, SenderObserver second) {
    return new SenderObserver() {
      @Override
      public void attempted(Message message, ProviderResult result) {
        first.attempted(message, result);
        second.attempted(message, result);
      }

      @Override
      public void dropped(Message message) {
        first.dropped(message);
        second.dropped(message);
      }

      @Override
      public void failed(Message message) {
        first.failed(message);
        second.failed(message);
      }

      @Override
      public void deadLettered(String reason) {
        first.deadLettered(reason);
        second.deadLettered(reason);
      }
    };
  }
}
