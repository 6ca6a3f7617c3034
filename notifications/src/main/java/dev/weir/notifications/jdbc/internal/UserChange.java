package dev.weir.notifications.jdbc.internal;

import java.util.Optional;

/**
 * The message that {@link dev.weir.store.jdbc.internal.Channel#NOTIFICATION_USER} carries to every
 * node when a user's limit has changed.
 *
 * @param version the version of the new limit
 */
public record UserChange(long userId, long version) {
  private static final char SEPARATOR = ':';

  /** Returns the change that a text describes; empty if it describes none. */
  public static Optional<UserChange> parse(String text) {
    int separator = text.indexOf(SEPARATOR);
    if (separator < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new UserChange(
              Long.parseLong(text, 0, separator, 10),
              Long.parseLong(text, separator + 1, text.length(), 10)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Returns the text from which {@link #parse} reads this change. */
  public String text() {
    return "" + userId + SEPARATOR + version;
  }
}
