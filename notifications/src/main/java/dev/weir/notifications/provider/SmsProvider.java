package dev.weir.notifications.provider;

import dev.weir.engine.notifications.Message;

/**
 * Transmits messages.
 *
 * <p>A message may be handed over more than once: after a failure, or because the sender crashed
 * before it could record the success. A provider that can recognize a repetition should do so by
 * the id of the message. Thread-safe.
 */
public interface SmsProvider extends AutoCloseable {
  /** Returns the name under which deliveries are recorded. */
  String name();

  /**
   * Hands a message over and waits for the answer, for a limited time. An exception counts as
   * {@link ProviderResult.Retry}.
   */
  ProviderResult send(Message message);

  @Override
  default void close() {}
}
