package dev.weir.notifications.provider;

import dev.weir.notifications.messages.Message;
import java.time.Duration;
import java.util.UUID;

/**
 * Transmits messages.
 *
 * <p>A message that a provider has not taken is handed over again. One that it may have taken is
 * handed over again only by a sender that delivers at least once; a provider that can recognize a
 * repetition should do so by the id of the message. Thread-safe.
 */
public interface SmsProvider extends AutoCloseable {
  /** Returns the name under which deliveries are recorded. */
  String name();

  /**
   * Returns the max time that {@link #send} waits for an answer. A sender that loses a partition
   * waits that long for what it has handed over.
   */
  Duration maxAnswerTime();

  /**
   * Hands a message over and waits for the answer, for a limited time. An exception counts as
   * {@link ProviderResult.Unknown}.
   */
  ProviderResult send(Message message);

  /**
   * Hands a message over as {@link #send(Message)} does, for as long as no other sender may do so.
   *
   * @param within after this time another sender may begin the message again: whatever is not
   *     transmitted, and could not be answered in time any more, is not transmitted
   */
  default ProviderResult send(Message message, Duration within) {
    return send(message);
  }

  /**
   * Returns true if parts of a message were taken, and the next {@link #send} goes on with the part
   * after them. Only this provider knows that, so no other one may begin the message again.
   */
  default boolean hasPartOf(UUID message) {
    return false;
  }

  @Override
  default void close() {}
}
