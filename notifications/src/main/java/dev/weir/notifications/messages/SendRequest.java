package dev.weir.notifications.messages;

import java.util.Optional;

/**
 * A request to send a message.
 *
 * @param message its id is used only if no message is known under the idempotency key
 * @param idempotencyKey identifies the request among those of the user; from 1 to {@link
 *     #MAX_KEY_LENGTH} characters, without U+0000 and unpaired surrogates
 * @param whenClosed what to do outside the user's hours
 */
public record SendRequest(Message message, Optional<String> idempotencyKey, WhenClosed whenClosed) {
  public static final int MAX_KEY_LENGTH = 255;

  /** What to do with a message outside the user's hours. */
  public enum WhenClosed {
    REFUSE,
    /** Keep the message and send it when the user's hours begin. */
    DEFER
  }

  public SendRequest {
    idempotencyKey.ifPresent(
        key -> {
          StorableText.require("idempotencyKey", key);
          if (key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
            throw new IllegalArgumentException(
                "idempotencyKey must have 1 to %d characters, not %d"
                    .formatted(MAX_KEY_LENGTH, key.length()));
          }
        });
  }
}
