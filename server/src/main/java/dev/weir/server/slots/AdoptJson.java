package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.internal.SlotNames;
import dev.weir.slots.AdoptRequest;
import dev.weir.slots.Adoption;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Reads events to adopt, and writes what became of them. */
final class AdoptJson {
  private static final SlotState[] STATES = {SlotState.ASSIGNED, SlotState.CONFIRMED};

  private AdoptJson() {}

  /**
   * Reads an event.
   *
   * @param configName the configuration of all events; a line may repeat it, and not name another
   * @throws dev.weir.http.problems.ProblemException if it is invalid, naming every invalid field
   */
  static AdoptRequest request(Object document, String configName) {
    Fields fields = Fields.of(document);
    Optional<String> eventId = fields.required("eventId", fields.text("eventId"));
    eventId
        .flatMap(SlotNames::eventIdProblem)
        .ifPresent(problem -> fields.wrong("eventId", problem));
    Optional<Instant> scheduled = fields.required("scheduledTime", fields.time("scheduledTime"));
    Optional<Instant> requested = fields.time("requestedTime");
    if (scheduled.isPresent() && requested.filter(scheduled.get()::isBefore).isPresent()) {
      fields.wrong("requestedTime", "must not be after scheduledTime");
    }
    Optional<SlotState> state = fields.choice("state", STATES);
    if (fields.text("configName").filter(name -> !name.equals(configName)).isPresent()) {
      fields.wrong("configName", "must be that of the request, " + configName);
    }
    fields.refuseOthers();
    // The id identifies the invalid line among many.
    fields.throwIfWrong(
        json -> {
          if (!fields.isWrong("eventId")) {
            json.writeStringField("eventId", eventId.orElseThrow());
          }
        });
    return new AdoptRequest(
        eventId.orElseThrow(),
        scheduled.orElseThrow(),
        requested,
        state.orElse(SlotState.ASSIGNED));
  }

  /**
   * Writes what became of an event.
   *
   * @param configName the configuration of all events
   */
  static void write(JsonGenerator json, Adoption adoption, String configName) throws IOException {
    switch (adoption) {
      case Adoption.Adopted adopted -> write(json, adopted.slot(), false);
      case Adoption.Repeated repeated -> write(json, repeated.slot(), true);
      case Adoption.Conflict conflict ->
          write(json, Optional.of(conflict.request().eventId()), problem(conflict));
      case Adoption.Full full -> write(json, Optional.of(full.request().eventId()), problem(full));
      case Adoption.UnknownConfig unknown ->
          write(json, Optional.of(unknown.request().eventId()), SlotJson.unknownConfig(configName));
    }
  }

  private static void write(JsonGenerator json, Slot slot, boolean isReplayed) throws IOException {
    json.writeStartObject();
    SlotJson.writeFields(json, slot);
    json.writeStringField("state", Fields.lower(slot.state()));
    json.writeBooleanField("overfull", slot.place() == Slot.ADOPTED_OVERFULL);
    json.writeBooleanField("replayed", isReplayed);
    json.writeEndObject();
  }

  static void write(JsonGenerator json, Optional<String> eventId, Problem problem)
      throws IOException {
    json.writeStartObject();
    if (eventId.isPresent()) {
      json.writeStringField("eventId", eventId.get());
    }
    problem.writeFields(json);
    json.writeEndObject();
  }

  private static Problem problem(Adoption.Conflict conflict) {
    Slot slot = conflict.slot();
    return Problem.of(
        409,
        "event-exists",
        "Event \"%s\" is to run at %s, but has a slot of configuration \"%s\" at %s, which is %s."
            .formatted(
                slot.eventId(),
                conflict.request().scheduledTime(),
                slot.configName(),
                slot.scheduledTime(),
                Fields.lower(slot.state())));
  }

  private static Problem problem(Adoption.Full full) {
    return Problem.of(
        409,
        "window-full",
        full.places() == 0
            ? "The window at %s is closed. overfull=accept takes the event over all the same."
                .formatted(full.windowStart())
            : "The window at %s has %d places and no free one. overfull=accept takes the event over"
                    .formatted(full.windowStart(), full.places())
                + " all the same.");
  }
}
