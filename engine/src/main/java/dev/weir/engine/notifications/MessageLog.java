package dev.weir.engine.notifications;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What became of each message, for a limited time. The sender reads it to deliver a message once.
 * Thread-safe.
 */
public interface MessageLog {
  Optional<MessageRecord> find(UUID message);

  /** Returns those of the messages that must not be handed to a provider again. */
  Set<UUID> finished(List<UUID> messages);

  /**
   * Records what a provider did. A record never moves a message backwards: after {@link
   * MessageState#DELIVERED} or {@link MessageState#FAILED} only the same state is accepted. Unknown
   * messages are ignored.
   */
  void record(List<Delivery> deliveries);

  /** Records a delivery receipt. Returns false if no message has that provider id. */
  boolean receipt(String provider, String providerId, MessageState state, Instant at);

  /** Removes finished messages that were created before {@code before}; returns how many. */
  long removeOlder(Instant before, int max);

  /**
   * What a provider did with a message.
   *
   * @param provider name of the provider
   * @param providerId the id that the provider gave it, for receipts; empty for none
   * @param reason why it failed; empty unless it failed
   */
  record Delivery(
      UUID message,
      MessageState state,
      Instant at,
      String provider,
      Optional<String> providerId,
      Optional<String> reason) {}
}
