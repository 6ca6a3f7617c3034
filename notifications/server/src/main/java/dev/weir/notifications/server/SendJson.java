package dev.weir.notifications.server;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.notifications.MessageParts;
import dev.weir.notifications.messages.Message;
import dev.weir.notifications.messages.SendRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads requests to send a message, and writes their answers. */
final class SendJson {
  private static final String KEY = "Idempotency-Key";
  private static final UUID ANY_ID = new UUID(0, 0);

  private SendJson() {}

  /** A request to send a message. */
  record Wanted(
      long userId,
      String text,
      Optional<String> idempotencyKey,
      SendRequest.WhenClosed whenClosed) {}

  /**
   * Reads a request.
   *
   * @param keys the values of the header {@code Idempotency-Key}
   * @throws dev.weir.http.problems.ProblemException if it is invalid, naming every invalid field
   */
  static Wanted read(Object document, List<String> keys) {
    Fields fields = Fields.of(document);
    Optional<Long> userId = UserLimitJson.userId(fields);
    Optional<String> text = fields.required("message", fields.text("message"));
    text.ifPresent(given -> checkMessage(fields, given));
    SendRequest.WhenClosed whenClosed =
        fields
            .choice("whenClosed", SendRequest.WhenClosed.values())
            .orElse(SendRequest.WhenClosed.REFUSE);
    Optional<String> key = key(fields, keys);
    fields.refuseOthers();
    fields.throwIfWrong();
    return new Wanted(userId.orElseThrow(), text.orElseThrow(), key, whenClosed);
  }

  private static void checkMessage(Fields fields, String text) {
    try {
      var unused = new Message(ANY_ID, 0, text, MessageParts.of(text).count());
    } catch (IllegalArgumentException e) {
      // The reason begins with the name that the text has there.
      String reason = String.valueOf(e.getMessage());
      fields.wrong("message", reason.substring(reason.indexOf(' ') + 1));
    }
  }

  private static Optional<String> key(Fields fields, List<String> keys) {
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    if (keys.size() > 1) {
      fields.wrong(KEY, "occurs twice");
      return Optional.empty();
    }
    String key = keys.getFirst();
    if (key.isEmpty() || key.length() > SendRequest.MAX_KEY_LENGTH) {
      fields.wrong(
          KEY,
          "must have 1 to %d characters, not %d"
              .formatted(SendRequest.MAX_KEY_LENGTH, key.length()));
    }
    return Optional.of(key);
  }

  /** Writes the answer for a message that the broker has: the same for a repeated request. */
  static void writeSent(JsonGenerator json, Message message) throws IOException {
    json.writeStartObject();
    json.writeStringField("result", "Message Sent Successfully");
    json.writeStringField("messageId", message.id().toString());
    json.writeNumberField("userId", message.userId());
    json.writeNumberField("parts", message.parts());
    json.writeEndObject();
  }
}
