package dev.weir.server.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.engine.slots.Assignment;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotNames;
import dev.weir.engine.slots.SlotRequest;
import java.io.IOException;
import java.util.Optional;

/** Slots and requests for them as JSON. */
final class SlotJson {
  private SlotJson() {}

  /**
   * Reads a request.
   *
   * @param defaultConfig the configuration of a request that names none
   * @throws ProblemException if it is none, naming every wrong field
   */
  static SlotRequest request(Object document, String defaultConfig) {
    Fields fields = Fields.of(document);
    Optional<String> eventId = fields.text("eventId");
    if (eventId.isEmpty() && !fields.isWrong("eventId")) {
      fields.wrong("eventId", "is missing");
    }
    eventId
        .flatMap(SlotNames::eventIdProblem)
        .ifPresent(problem -> fields.wrong("eventId", problem));
    String configName = fields.configName("configName", defaultConfig);
    var requestedTime = fields.time("requestedTime");
    fields.refuseOthers();
    fields.throwIfWrong();
    return new SlotRequest(
        eventId.orElseThrow(), configName, requestedTime.orElse(SlotRequest.NOW));
  }

  /** Writes a slot with its state, as it is found. */
  static void writeFound(JsonGenerator json, Slot slot) throws IOException {
    json.writeStartObject();
    writeFields(json, slot);
    json.writeStringField("state", Fields.lower(slot.state()));
    json.writeStringField("assignedAt", slot.assignedAt().toString());
    json.writeEndObject();
  }

  /** Writes a slot as the answer to a request. */
  static void writeAssigned(JsonGenerator json, Assignment.Assigned assigned) throws IOException {
    json.writeStartObject();
    writeFields(json, assigned.slot());
    json.writeBooleanField("replayed", assigned.replayed());
    json.writeEndObject();
  }

  private static void writeFields(JsonGenerator json, Slot slot) throws IOException {
    json.writeStringField("eventId", slot.eventId());
    json.writeStringField("configName", slot.configName());
    json.writeStringField("requestedTime", slot.requestedTime().toString());
    json.writeStringField("scheduledTime", slot.scheduledTime().toString());
    json.writeNumberField("delayMs", slot.delay().toMillis());
    json.writeStringField("windowStart", slot.windowStart().toString());
    json.writeNumberField("configVersion", slot.configVersion());
  }

  /** What a refused assignment is as a problem. */
  static Problem problem(Assignment.NoRoom noRoom) {
    return Problem.of(
        503,
        "no-room",
        "Configuration \"%s\" has no free place within its longest delay. Try again in %d s."
            .formatted(noRoom.request().configName(), noRoom.retryAfterSeconds()));
  }

  static Problem problem(Assignment.UnknownConfig unknown) {
    return unknownConfig(unknown.request().configName());
  }

  static Problem unknownConfig(String name) {
    return Problem.of(404, "unknown-config", "There is no configuration \"%s\".".formatted(name));
  }
}
