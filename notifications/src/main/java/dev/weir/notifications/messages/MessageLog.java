package dev.weir.notifications.messages;

import java.time.Duration;
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

  /**
   * Returns a page of messages. Whatever is added or removed while its pages are read, no message
   * is in two of them, and each message that existed before the first page, was not removed, and
   * was in the state all the time, is in one.
   */
  MessageQuery.Page list(MessageQuery query);

  /** Returns those of the messages that must not be handed to a provider again. */
  Set<UUID> finished(List<UUID> messages);

  /**
   * Records that messages are about to be handed to a provider, before they are: they become {@link
   * MessageState#UNKNOWN}, by the store's clock. The caller may hand over those that have {@link
   * HandOver.Begun}, and has to call {@link #record} or {@link #notTaken} when it knows more.
   *
   * <p>An attempt that is recorded already, and has not ended, is begun again: the answer to the
   * caller may have been lost. Nothing else tells it from an attempt of another sender.
   *
   * @param provider name of the provider
   * @return the results, in the order of the attempts
   */
  List<HandOver> handOver(List<Attempt> attempts, String provider, DeliveryGuarantee guarantee);

  /**
   * Makes {@linkplain MessageState#UNKNOWN unknown} messages {@linkplain MessageState#ACCEPTED
   * accepted} again, because the provider has certainly not taken them in these attempts. Messages
   * that are in another attempt, or have ended, are ignored.
   */
  void notTaken(List<Attempt> attempts);

  /**
   * Records what a provider did. A record never moves a message backwards: after {@link
   * MessageState#SENT} only {@link MessageState#DELIVERED} or {@link MessageState#FAILED} changes
   * it, and after these nothing does. An attempt of another sender with the message ends, too; a
   * message that becomes {@link MessageState#UNKNOWN} can still be {@linkplain #reopen(Attempt)
   * reopened} by it. Unlogged and deferred messages are ignored.
   */
  void record(List<Delivery> deliveries);

  /**
   * Records a delivery receipt. The first receipt of a message counts, and wins over a failure that
   * {@link #record} has recorded: the sender may give up on a message that the provider has. That
   * it stays failed does not change when it failed; otherwise the message has changed at the time
   * of the store, whatever the receipt says.
   *
   * @param receipt its state is {@link MessageState#DELIVERED} or {@link MessageState#FAILED}; its
   *     provider ids are ignored
   */
  ReceiptResult receipt(Delivery receipt);

  /** What became of a receipt. */
  enum ReceiptResult {
    RECORDED,
    /** The message had reached that state before. */
    REPEATED,
    /** An earlier receipt said something else, and counts. */
    CONTRADICTED,
    /** The message was never handed to a provider. */
    NOT_SENT,
    /** There is no such message. */
    UNKNOWN
  }

  /**
   * Records a delivery receipt, as the other method does, for the newest message with that provider
   * id. If the message has several parts, it is delivered when all of them are, and has failed when
   * one has; the first receipt of each part counts.
   *
   * @param state {@link MessageState#DELIVERED} or {@link MessageState#FAILED}
   * @param at when the receipt came, or when its provider says that it was made
   * @return false if no message has that provider id
   */
  boolean receipt(String provider, String providerId, MessageState state, Instant at);

  /**
   * Makes {@linkplain MessageState#FAILED failed} and {@linkplain MessageState#UNKNOWN unknown}
   * messages {@linkplain MessageState#ACCEPTED accepted} again, so that they can be handed to a
   * provider once more. Others are ignored.
   *
   * @param failedBy messages that failed after this time are ignored too: that was another failure
   *     than the one that the caller knows
   * @return those that were failed or unknown
   */
  Set<UUID> reopen(List<UUID> messages, Instant failedBy);

  /**
   * Makes a {@linkplain MessageState#FAILED failed} or {@linkplain MessageState#UNKNOWN unknown}
   * message {@linkplain MessageState#ACCEPTED accepted} again, as the other method does, if it has
   * ended, or is, in this attempt. Unlike a time, an attempt cannot be another failure than the one
   * that the caller knows.
   *
   * @return true if it was
   */
  boolean reopen(Attempt failed);

  /**
   * Removes up to {@code max} messages that have {@linkplain MessageState#isFinished ended}, or are
   * {@linkplain MessageState#UNKNOWN unknown}, and were neither counted nor changed for more than
   * {@code retention}, with their idempotency keys. The clock of the store decides, because the log
   * belongs to all nodes. A message that has not ended is never removed.
   *
   * @return the number of messages that were removed
   */
  int removeOlder(Duration retention, int max);

  /**
   * A sender's attempt to hand a message over.
   *
   * @param id differs from that of each other attempt
   */
  record Attempt(UUID message, UUID id) {
    /** Returns a new attempt. */
    public static Attempt of(UUID message) {
      return new Attempt(message, UUID.randomUUID());
    }
  }

  /**
   * What a provider did with a message.
   *
   * @param provider name of the provider
   * @param providerIds the ids that the provider gave to its parts, for receipts; empty for none
   * @param reason why it failed or is unknown; empty otherwise
   * @param attempt id of the attempt that has ended so, for {@link #reopen(Attempt)}; empty for
   *     none
   */
  record Delivery(
      UUID message,
      MessageState state,
      Instant at,
      String provider,
      List<String> providerIds,
      Optional<String> reason,
      Optional<UUID> attempt) {
    /** Creates one that is known by its time only. */
    public Delivery(
        UUID message,
        MessageState state,
        Instant at,
        String provider,
        List<String> providerIds,
        Optional<String> reason) {
      this(message, state, at, provider, providerIds, reason, Optional.empty());
    }

    public Delivery {
      switch (state) {
        case UNKNOWN, SENT, DELIVERED, FAILED -> {}
        case DEFERRED, ACCEPTED, CANCELLED ->
            throw new IllegalArgumentException(
                "state must be the outcome of a delivery, not " + state);
      }
      StorableText.require("provider", provider);
      if (state == MessageState.UNKNOWN && reason.isEmpty()) {
        throw new IllegalArgumentException("reason must say why the message is unknown");
      }
      providerIds = List.copyOf(providerIds);
      for (String id : providerIds) {
        StorableText.require("providerIds", id);
        if (id.length() > MAX_PROVIDER_ID_LENGTH) {
          throw new IllegalArgumentException(
              "providerIds must have up to %d characters, not %d"
                  .formatted(MAX_PROVIDER_ID_LENGTH, id.length()));
        }
      }
      // It comes from a remote system or an exception, and must not prevent the record.
      reason = reason.map(text -> StorableText.replaced(text, MAX_REASON_LENGTH));
    }
  }
}
