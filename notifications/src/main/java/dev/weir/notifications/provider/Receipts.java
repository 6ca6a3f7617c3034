package dev.weir.notifications.provider;

import dev.weir.notifications.messages.MessageState;
import java.time.Instant;

/** Receives delivery receipts. Thread-safe. */
@FunctionalInterface
public interface Receipts {
  /**
   * Takes a receipt.
   *
   * @param providerId the id of {@link ProviderResult.Taken}
   * @param state {@link MessageState#DELIVERED} or {@link MessageState#FAILED}
   * @return false if it could not be taken; the provider should repeat it later
   */
  boolean receive(String provider, String providerId, MessageState state, Instant at);
}
