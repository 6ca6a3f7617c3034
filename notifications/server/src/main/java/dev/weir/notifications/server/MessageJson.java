package dev.weir.notifications.server;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.json.TimeText;
import dev.weir.notifications.messages.MessageStatus;
import java.io.IOException;

/** Writes what is known about messages. Their texts are not repeated. */
final class MessageJson {
  private MessageJson() {}

  static void write(JsonGenerator json, MessageStatus message) throws IOException {
    json.writeStartObject();
    json.writeStringField("messageId", message.id().toString());
    json.writeNumberField("userId", message.userId());
    json.writeStringField("state", Fields.lower(message.state()));
    json.writeNumberField("parts", message.parts());
    json.writeStringField("createdAt", TimeText.of(message.createdAt()));
    json.writeStringField("changedAt", TimeText.of(message.changedAt()));
    if (message.dueAt().isPresent()) {
      json.writeStringField("dueAt", TimeText.of(message.dueAt().get()));
    }
    if (message.reason().isPresent()) {
      json.writeStringField("reason", message.reason().get());
    }
    json.writeEndObject();
  }
}
