package dev.weir.notifications;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendResult;
import dev.weir.notifications.messages.UserState;

/**
 * Learns what becomes of requests to send. Called on the path of each request, so it must be quick
 * and must neither wait nor throw. Thread-safe.
 */
public interface SendObserver {
  SendObserver NONE = new SendObserver() {};

  /**
   * A request was answered.
   *
   * @param request the message as it was requested; the outcome has another one if the request was
   *     repeated
   */
  default void answered(Message request, SendResult.Answer outcome) {}

  /** The database did not decide about a request. */
  default void undecided(Message request) {}

  /**
   * The broker has a message whose request was answered before it was known to have it.
   *
   * @param cost what the message took of the limit of its user
   */
  default void publishedLater(Message message, long cost) {}

  /**
   * The broker has a message whose request was answered before.
   *
   * @param state the state of its user when the message was counted or asked for
   */
  default void publishedLater(Message message, UserState state) {}

  /** A message that was counted can never be published, and has failed. */
  default void failed(Message message) {}
}
