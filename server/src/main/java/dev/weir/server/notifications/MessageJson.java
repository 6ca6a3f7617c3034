package dev.weir.server.notifications;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.engine.notifications.Message;
import dev.weir.engine.notifications.MessageRecord;
import dev.weir.server.http.Fields;
import dev.weir.server.http.TimeText;
import java.io.IOException;

/** Writes what is known about messages. Their texts are not repeated. */
final class MessageJson {
  private MessageJson() {}

  static void write(JsonGenerator json, MessageRecord record) throws IOException {
    Message message = record.message();
    json.writeStartObject();
    json.writeStringField("messageId", message.id().toString());
    json.writeNumberField("userId", message.userId());
    json.writeStringField("state", Fields.lower(record.state()));
    json.writeNumberField("parts", message.parts());
    json.writeStringField("createdAt", TimeText.of(record.createdAt()));
    json.writeStringField("changedAt", TimeText.of(record.changedAt()));
    if (record.dueAt().isPresent()) {
      json.writeStringField("dueAt", TimeText.of(record.dueAt().get()));
    }
    if (record.reason().isPresent()) {
      json.writeStringField("reason", record.reason().get());
    }
    json.writeEndObject();
  }
}
