package dev.weir.notifications.analytics;

import dev.weir.notifications.MessageIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** An event as a document: its id and its index follow from the event, so a repetition is known. */
final class EventDocument {
  /** Events are a fraction of this; other producers may write anything. */
  private static final int MAX_BYTES = 64 << 10;

  private final UUID id;
  private final LocalDate day;
  private final byte[] json;

  private EventDocument(UUID id, LocalDate day, byte[] json) {
    this.id = id;
    this.day = day;
    this.json = json;
  }

  /** Returns the document of a record; empty if the record is not an event. */
  static Optional<EventDocument> of(ConsumerRecord<byte[], byte[]> record) {
    byte[] json = record.value();
    if (json == null || json.length > MAX_BYTES) {
      return Optional.empty();
    }
    try {
      JsonTree event = JsonTree.read(json);
      UUID id = UUID.fromString(event.at("eventId").text().orElse(""));
      Instant at = Instant.parse(event.at("at").text().orElse(""));
      boolean isEvent =
          MessageIds.hasTime(id)
              && event.at("version").number().isPresent()
              && event.at("userId").number().isPresent()
              && event.at("outcome").text().isPresent()
              && at.isAfter(Instant.EPOCH);
      return isEvent
          ? Optional.of(
              new EventDocument(
                  id, LocalDate.ofInstant(MessageIds.time(id), ZoneOffset.UTC), oneLine(json)))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException | DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Line breaks are spaces in JSON, and the end of a document in a bulk request. */
  private static byte[] oneLine(byte[] json) {
    byte[] line = json.clone();
    for (int i = 0; i < line.length; i++) {
      if (line[i] == '\n' || line[i] == '\r') {
        line[i] = ' ';
      }
    }
    return line;
  }

  /** Returns the day of the index: that of the id, which is the same for each repetition. */
  LocalDate day() {
    return day;
  }

  UUID id() {
    return id;
  }

  /** Writes the two lines of a bulk request that create this document unless it exists. */
  void writeTo(ByteArrayOutputStream lines) {
    String action =
        "{\"create\":{\"_index\":\"%s\",\"_id\":\"%s\"}}\n".formatted(EventIndices.name(day), id);
    lines.writeBytes(action.getBytes(StandardCharsets.UTF_8));
    lines.writeBytes(json);
    lines.write('\n');
  }
}
