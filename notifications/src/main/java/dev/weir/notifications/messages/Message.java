package dev.weir.notifications.messages;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A message of a user.
 *
 * @param id unique; travels with the message, so that it is delivered once
 * @param text without U+0000 and unpaired surrogates, which not every store and not every encoding
 *     can hold
 * @param parts the number of parts into which it is divided for transmission, at least 1
 */
public record Message(UUID id, long userId, String text, int parts) {
  public Message {
    StorableText.require("text", text);
    if (parts < 1) {
      throw new IllegalArgumentException("parts must be at least 1, not " + parts);
    }
  }

  /** Returns what is published: the user, a colon, a space, and the text. */
  public byte[] payload() {
    return (userId + ": " + text).getBytes(StandardCharsets.UTF_8);
  }
}
