package dev.weir.notifications.messages;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The nodes that hand messages to a provider. They share the work, so they have to agree on the
 * provider: a node with another one would take a part of the messages and hand them to it.
 *
 * <p>Every method is one atomic step, by the clock of the store, and throws {@link
 * dev.weir.StoreException} if the store fails. Thread-safe.
 */
public interface SenderRegistry {
  /**
   * Counts a node as a sender from now on for {@code ttl}, unless another node is a sender with
   * another provider. Has to be repeated within that time.
   *
   * @param provider identifies the provider
   * @return the provider of the other node; empty if this node may send
   */
  Optional<String> join(UUID node, String provider, Duration ttl);

  /** Ends what {@link #join} has begun. */
  void leave(UUID node);
}
