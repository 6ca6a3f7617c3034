package dev.weir.notifications.messages;

import dev.weir.internal.Micros;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * A question for messages, the newest first. Messages of the same time are in the descending order
 * of the bytes of their ids.
 *
 * @param userId only messages of this user; empty for those of all users
 * @param state only messages in this state; empty for any
 * @param from only messages that were created at this time or later
 * @param before only messages that were created earlier
 * @param after the place where the page before ended
 * @param max max number of messages
 */
public record MessageQuery(
    OptionalLong userId,
    Optional<MessageState> state,
    Instant from,
    Instant before,
    Cursor after,
    int max) {
  public static final int MAX_PAGE = 1_000;

  public MessageQuery {
    if (max < 1 || max > MAX_PAGE) {
      throw new IllegalArgumentException(
          "max must be from 1 to %d, not %d".formatted(MAX_PAGE, max));
    }
  }

  /** A place in the order of messages. */
  public record Cursor(long createdAtMicros, UUID messageId) {
    /** The place before the newest message. */
    public static final Cursor START = new Cursor(Long.MAX_VALUE, new UUID(-1, -1));

    public static Cursor of(Instant createdAt, UUID messageId) {
      return new Cursor(Micros.clamped(createdAt), messageId);
    }
  }

  /**
   * A page of messages.
   *
   * @param next where the next page begins; empty if there is none. It may be present although the
   *     page is not full, or is empty: what a store reads for a page is bounded
   */
  public record Page(List<MessageStatus> messages, Optional<Cursor> next) {
    public Page {
      messages = List.copyOf(messages);
    }
  }
}
