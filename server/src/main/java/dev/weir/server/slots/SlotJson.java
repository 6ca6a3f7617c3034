package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Violation;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.SlotNames;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads slot requests and writes slots as JSON. */
final class SlotJson {
  private SlotJson() {}

  /**
   * Reads a request.
   *
   * @param defaultConfig the configuration of a request that names none
   * @throws ProblemException if it is invalid, naming every invalid field
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
    String configName = fields.text("configName", defaultConfig, SlotNames::configNameProblem);
    var requestedTime = fields.time("requestedTime");
    fields.refuseOthers();
    // The id identifies the invalid entry among many.
    fields.throwIfWrong(
        json -> {
          if (!fields.isWrong("eventId")) {
            json.writeStringField("eventId", eventId.orElseThrow());
          }
        });
    return new SlotRequest(eventId.orElseThrow(), configName, requestedTime);
  }

  /** Writes a stored slot with its state. */
  static void writeFound(JsonGenerator json, Slot slot) throws IOException {
    json.writeStartObject();
    writeFields(json, slot);
    json.writeStringField("state", Fields.lower(slot.state()));
    json.writeStringField("assignedAt", slot.assignedAt().toString());
    json.writeEndObject();
  }

  /** Writes a slot as the response to a request. */
  static void writeAssigned(JsonGenerator json, Assignment.Assigned assigned) throws IOException {
    json.writeStartObject();
    writeFields(json, assigned.slot());
    json.writeBooleanField("replayed", assigned.replayed());
    json.writeEndObject();
  }

  static void writeFields(JsonGenerator json, Slot slot) throws IOException {
    json.writeStringField("eventId", slot.eventId());
    json.writeStringField("configName", slot.configName());
    json.writeStringField("requestedTime", slot.requestedTime().toString());
    json.writeStringField("scheduledTime", slot.scheduledTime().toString());
    json.writeNumberField("delayMs", slot.delay().toMillis());
    json.writeStringField("windowStart", slot.windowStart().toString());
    json.writeNumberField("configVersion", slot.configVersion());
  }

  /** Returns the problem of a request without a free slot. */
  static Problem problem(Assignment.NoCapacity noCapacity) {
    if (noCapacity.freeTime().isEmpty()) {
      return Problem.invalid(
          List.of(
              new Violation("requestedTime", "leaves no free place up to the end of year 9999")));
    }
    return Problem.of(
        503,
        "no-capacity",
        "Configuration \"%s\" has no free place within maxDelay; one is free at %s. %s"
            .formatted(
                noCapacity.request().configName(),
                noCapacity.freeTime().get(),
                noCapacity
                    .retryAfter()
                    .map(wait -> "Try again in %d s.".formatted(wholeSeconds(wait)))
                    .orElse(
                        "Waiting does not help: the request names a time. Request a later"
                            + " one.")));
  }

  /** Returns the header fields that accompany the problem. */
  static Map<String, String> headers(Assignment.NoCapacity noCapacity) {
    return noCapacity
        .retryAfter()
        .map(wait -> Map.of("Retry-After", Long.toString(wholeSeconds(wait))))
        .orElse(Map.of());
  }

  /** Returns a wait in whole seconds, rounded up and at least 1, as a header field needs it. */
  private static long wholeSeconds(Duration wait) {
    return Math.max(1, wait.plusNanos(999_999_999).toSeconds());
  }

  static Problem problem(Assignment.UnknownConfig unknown) {
    return unknownConfig(unknown.request().configName());
  }

  static Problem unknownConfig(String name) {
    return Problem.of(404, "unknown-config", "There is no configuration \"%s\".".formatted(name));
  }
}
