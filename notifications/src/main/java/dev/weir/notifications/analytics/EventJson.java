package dev.weir.notifications.analytics;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Writes events as JSON, by the schema {@code docs/notification-event.schema.json}. */
final class EventJson {
  /** The version of the schema. A new optional field does not change it. */
  static final int VERSION = 1;

  private static final int USUAL_LENGTH = 320;
  private static final JsonFactory FACTORY = new JsonFactory();

  private EventJson() {}

  static byte[] write(UUID id, NotificationEvent event) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(USUAL_LENGTH);
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      write(json, id, event);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return out.toByteArray();
  }

  private static void write(JsonGenerator json, UUID id, NotificationEvent event)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("version", VERSION);
    json.writeStringField("eventId", id.toString());
    json.writeStringField("at", event.at().truncatedTo(ChronoUnit.MILLIS).toString());
    json.writeStringField("outcome", event.outcome().text());
    if (event.cause().isPresent()) {
      json.writeStringField("cause", event.cause().get().text());
    }
    json.writeNumberField("userId", event.userId());
    if (event.messageId().isPresent()) {
      json.writeStringField("messageId", event.messageId().get().toString());
    }
    json.writeNumberField("parts", event.parts());
    if (event.cost().isPresent()) {
      json.writeNumberField("cost", event.cost().getAsLong());
    }
    if (event.quota().isPresent()) {
      json.writeNumberField("limit", event.quota().get().limit());
      json.writeNumberField("windowSeconds", event.quota().get().windowSeconds());
    }
    if (event.retryAfterSeconds().isPresent()) {
      json.writeNumberField("retryAfterSeconds", event.retryAfterSeconds().getAsLong());
    }
    json.writeEndObject();
  }
}
