package dev.weir.notifications.server;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads ids of messages. */
final class MessageIdText {
  /** {@link UUID#fromString} accepts shorter groups as well. */
  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private MessageIdText() {}

  /** Returns the id that a text is; empty if it is none. */
  static Optional<UUID> read(String text) {
    return ID.matcher(text).matches() ? Optional.of(UUID.fromString(text)) : Optional.empty();
  }
}
