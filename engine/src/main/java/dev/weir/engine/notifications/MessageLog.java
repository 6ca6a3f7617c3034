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
  /** Maximum length of the id that a provider gives to a message. */
  int MAX_PROVIDER_ID_LENGTH = 255;

  /** Maximum length of a reason; the rest of a longer one is dropped. */
  int MAX_REASON_LENGTH = 500;

  Optional<MessageRecord> find(UUID message);

  /** Returns those of the messages that must not be handed to a provider again. */
  Set<UUID> finished(List<UUID> messages);

  /**
   * Records what a provider did. A record never moves a message backwards: after {@link
   * MessageState#SENT} only {@link MessageState#DELIVERED} or {@link MessageState#FAILED} changes
   * it, and after these nothing does. Unknown and deferred messages are ignored.
   */
  void record(List<Delivery> deliveries);

  /**
   * Records a delivery receipt for the newest message with that provider id.
   *
   * @param state {@link MessageState#DELIVERED} or {@link MessageState#FAILED}
   * @return false if no message has that provider id
   */
  boolean receipt(String provider, String providerId, MessageState state, Instant at);

  /**
   * Makes {@linkplain MessageState#FAILED failed} messages {@linkplain MessageState#ACCEPTED
   * accepted} again, so that they can be handed to a provider once more. Others are ignored.
   *
   * @return those that were failed
   */
  Set<UUID> reopen(List<UUID> messages);

  /**
   * Removes up to {@code max} messages that were counted before {@code before} or, if they never
   * were, ended before it, with their idempotency keys. Messages that are deferred or in the outbox
   * stay. A published message that no sender has recorded is removed as well, because it may be
   * consumed by a program that records nothing.
   *
   * @return the number of messages that were removed
   */
  int removeOlder(Instant before, int max);

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
      Optional<String> reason) {
    public Delivery {
      switch (state) {
        case SENT, DELIVERED, FAILED -> {}
        case DEFERRED, ACCEPTED, CANCELLED ->
            throw new IllegalArgumentException(
                "state must be the outcome of a delivery, not " + state);
      }
      StorableText.require("provider", provider);
      providerId.ifPresent(
          id -> {
            StorableText.require("providerId", id);
            if (id.length() > MAX_PROVIDER_ID_LENGTH) {
              throw new IllegalArgumentException(
                  "providerId must have up to %d characters, not %d"
                      .formatted(MAX_PROVIDER_ID_LENGTH, id.length()));
            }
          });
      // It comes from a remote system or an exception, and must not prevent the record.
      reason = reason.map(text -> StorableText.replaced(text, MAX_REASON_LENGTH));
    }
  }
}
