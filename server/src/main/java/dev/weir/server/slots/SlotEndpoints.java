package dev.weir.server.slots;

import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.endpoints.TooLargeHint;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.fields.PathSegment;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.SlotNames;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotQuery;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.Transition;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import java.util.Map;

/** Manages slots: request, read, confirm and cancel one, and list them. */
@Controller("/api/v1/slots")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
@TooLargeHint(SlotEndpoints.MANY_EVENTS)
final class SlotEndpoints {
  /** Advice for a caller whose body is too large. */
  static final String MANY_EVENTS =
      "Send many events as lines, " + MediaTypes.NDJSON + ", to /batch.";

  /**
   * The path of a slot. Micronaut's default variable stops at characters that a path may contain,
   * such as '+'.
   */
  private static final String ID = "/{eventId:[^/]+}";

  private static final int ID_SEGMENT = 4;
  private static final long DEFAULT_PAGE = 100;

  private final SlotScheduler scheduler;
  private final DefaultConfig defaultConfig;

  SlotEndpoints(SlotScheduler scheduler, DefaultConfig defaultConfig) {
    this.scheduler = scheduler;
    this.defaultConfig = defaultConfig;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> assign(@Body byte[] body) {
    Object document = JsonDocument.read(body, 0, body.length);
    return switch (scheduler.assign(SlotJson.request(document, defaultConfig.name()))) {
      case Assignment.Assigned assigned ->
          Responses.json(json -> SlotJson.writeAssigned(json, assigned));
      case Assignment.NoCapacity noCapacity ->
          throw new ProblemException(SlotJson.problem(noCapacity), SlotJson.headers(noCapacity));
      case Assignment.UnknownConfig unknown ->
          throw new ProblemException(SlotJson.problem(unknown));
    };
  }

  @Get(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> find(HttpRequest<?> request) {
    String eventId = eventId(request);
    Slot slot = scheduler.find(eventId).orElseThrow(() -> noSlot(eventId));
    return Responses.json(json -> SlotJson.writeFound(json, slot));
  }

  @Delete(ID)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> cancel(HttpRequest<?> request) {
    String eventId = eventId(request);
    return switch (scheduler.cancel(eventId)) {
      case Transition.Done done -> HttpResponse.noContent();
      case Transition.Conflict conflict -> throw conflict(conflict, "cancelled");
      case Transition.Unknown unknown -> throw noSlot(eventId);
    };
  }

  @Post(ID + "/confirm")
  @Consumes(MediaType.ALL)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> confirm(HttpRequest<?> request) {
    String eventId = eventId(request);
    return switch (scheduler.confirm(eventId)) {
      case Transition.Done done -> Responses.json(json -> SlotJson.writeFound(json, done.slot()));
      case Transition.Conflict conflict -> throw conflict(conflict, "confirmed");
      case Transition.Unknown unknown -> throw noSlot(eventId);
    };
  }

  @Get
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> list(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    if (query.has("eventId")) {
      return byId(query);
    }
    String configName =
        query.text("configName", defaultConfig.name(), SlotNames::configNameProblem);
    var from = query.time("from");
    var until = query.time("to");
    SlotQuery.Filter filter =
        query.choice("state", SlotQuery.Filter.values()).orElse(SlotQuery.Filter.ALL);
    var after = query.text("cursor").map(text -> CursorText.read(query, text));
    int limit = (int) (long) query.count("limit", SlotQuery.MAX_PAGE).orElse(DEFAULT_PAGE);
    query.refuseOtherParameters();
    query.throwIfWrong();
    List<Slot> slots = scheduler.list(new SlotQuery(configName, from, until, filter, after, limit));
    if (slots.isEmpty() && scheduler.config(configName).isEmpty()) {
      throw new ProblemException(SlotJson.unknownConfig(configName));
    }
    return page(slots, slots.size() == limit);
  }

  /**
   * Returns a list of one slot or none. This works for every id; some cannot be in a path, because
   * they are names of endpoints or because clients resolve them as dot segments ("..").
   */
  private HttpResponse<byte[]> byId(Fields query) {
    String eventId = query.text("eventId").orElse("");
    SlotNames.eventIdProblem(eventId).ifPresent(problem -> query.wrong("eventId", problem));
    query.refuseOtherParameters();
    query.throwIfWrong();
    return page(scheduler.find(eventId).stream().toList(), false);
  }

  private static HttpResponse<byte[]> page(List<Slot> slots, boolean more) {
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("slots");
          for (Slot slot : slots) {
            SlotJson.writeFound(json, slot);
          }
          json.writeEndArray();
          if (more) {
            json.writeStringField("next", CursorText.write(slots.getLast()));
          }
          json.writeEndObject();
        });
  }

  private static String eventId(HttpRequest<?> request) {
    String eventId = PathSegment.of(request, ID_SEGMENT);
    Fields fields = Fields.of(Map.of());
    SlotNames.eventIdProblem(eventId).ifPresent(problem -> fields.wrong("eventId", problem));
    fields.throwIfWrong();
    return eventId;
  }

  private static ProblemException noSlot(String eventId) {
    return new ProblemException(
        Problem.of(404, "unknown-event", "No slot is known for event \"%s\".".formatted(eventId)));
  }

  private static ProblemException conflict(Transition.Conflict conflict, String wanted) {
    return new ProblemException(
        Problem.of(
            409,
            "state-conflict",
            "The slot of event \"%s\" is %s and cannot be %s."
                .formatted(
                    conflict.slot().eventId(), Fields.lower(conflict.slot().state()), wanted)));
  }
}
