package dev.weir.notifications.kit;

import dev.weir.notifications.messages.MessageState;
import dev.weir.notifications.messages.UserLimit.Algorithm;
import dev.weir.notifications.messages.UserLimit.CostBy;
import java.util.List;

/**
 * A step on a store of messages. Users, messages, keys and texts are numbers, which a {@link
 * MessageScene} translates.
 */
sealed interface MessageStep {
  int USERS = 3;
  int MESSAGES = 10;
  int KEYS = 4;

  /** The key of a request that has none. */
  int NO_KEY = -1;

  /**
   * A request to send.
   *
   * @param text one of two texts
   */
  record Ask(int message, int user, int text, int parts, int key) {}

  /**
   * Creates or replaces the limit of a user.
   *
   * @param hasHours whether the user is open only in the first two minutes of each hour
   */
  record Configure(
      int user,
      int rateLimit,
      int windowSeconds,
      Algorithm algorithm,
      CostBy costBy,
      boolean hasHours)
      implements MessageStep {}

  record Place(List<Ask> asks) implements MessageStep {}

  record Published(List<Integer> messages) implements MessageStep {}

  record Withdraw(List<Integer> messages) implements MessageStep {}

  /** Ends messages that can never be published. */
  record Fail(List<Integer> messages) implements MessageStep {}

  record Claim(int minAgeSeconds, int claimSeconds, int max) implements MessageStep {}

  record Defer(Ask ask, int dueInSeconds) implements MessageStep {}

  record Due(int max) implements MessageStep {}

  record Release(List<Integer> messages) implements MessageStep {}

  record Cancel(int message) implements MessageStep {}

  /**
   * Records that messages are about to be handed over.
   *
   * @param attempt of each of them
   * @param repeatAfterSeconds min age of an earlier hand-over; {@link #NEVER} for at most once
   */
  record HandOver(List<Integer> messages, int attempt, int repeatAfterSeconds)
      implements MessageStep {
    static final int NEVER = -1;
  }

  record NotTaken(List<Integer> messages, int attempt) implements MessageStep {}

  /** Records what a provider did with each of the messages; its id is the number of the message. */
  record Deliver(List<Integer> messages, MessageState state) implements MessageStep {}

  /** Records that messages were given up in an attempt. */
  record GiveUp(List<Integer> messages, int attempt) implements MessageStep {}

  /** Records a receipt by the provider's id. */
  record Receipt(int message, MessageState state) implements MessageStep {}

  /** Records a receipt by the id of the message. */
  record Report(int message, MessageState state) implements MessageStep {}

  record Reopen(List<Integer> messages) implements MessageStep {}

  /** Reopens a message that was given up in an attempt. */
  record ReopenAttempt(int message, int attempt) implements MessageStep {}

  record Remove(int minAgeSeconds) implements MessageStep {}
}
