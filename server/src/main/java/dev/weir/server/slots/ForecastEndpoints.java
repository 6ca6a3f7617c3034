package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.slots.ForecastResult;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reports future load: how full the windows are, and when further events would be done. */
@Controller("/api/v1/slots")
@RequiresRole(RequiresRole.Role.CLIENT)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class ForecastEndpoints {
  private static final long DEFAULT_PAGE = 100;
  private static final long MAX_EVENTS = 1_000_000_000L;

  private final SlotScheduler slots;
  private final DefaultConfig defaultConfig;

  ForecastEndpoints(SlotScheduler slots, DefaultConfig defaultConfig) {
    this.slots = slots;
    this.defaultConfig = defaultConfig;
  }

  @Get("/windows")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> windows(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    String configName =
        query.text("configName", defaultConfig.name(), SlotNames::configNameProblem);
    var from = query.time("from");
    var until = query.time("to");
    int limit = (int) (long) query.count("limit", WindowQuery.MAX_PAGE).orElse(DEFAULT_PAGE);
    query.refuseOtherParameters();
    query.throwIfWrong();
    SlotConfig config = slots.config(configName).orElseThrow(() -> unknown(configName));
    SlotPolicy policy = config.policy();
    Instant first = Micros.instant(policy.windowStart(Micros.ceil(from.orElseGet(slots::now))));
    List<WindowCount> windows =
        slots.windows(new WindowQuery(config, Optional.of(first), until, limit));
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("configName", config.name());
          json.writeNumberField("configVersion", config.version());
          json.writeStringField("windowSize", policy.window().toString());
          json.writeNumberField("maxPerWindow", policy.maxPerWindow());
          json.writeArrayFieldStart("windows");
          for (WindowCount window : windows) {
            write(json, window, policy);
          }
          json.writeEndArray();
          if (windows.size() == limit) {
            Instant next = windows.getLast().start().plus(policy.window());
            if (Micros.inRange(next)) {
              json.writeStringField("next", next.toString());
            }
          }
          json.writeEndObject();
        });
  }

  private static void write(JsonGenerator json, WindowCount window, SlotPolicy policy)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("start", window.start().toString());
    // The last possible window would end in year 10000, which many parsers reject.
    Instant end = Micros.instant(Micros.clamped(window.start().plus(policy.window())));
    json.writeStringField("end", end.toString());
    json.writeNumberField("taken", window.taken());
    json.writeNumberField("max", policy.maxPerWindow());
    json.writeEndObject();
  }

  @Get("/forecast")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> forecast(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    String configName =
        query.text("configName", defaultConfig.name(), SlotNames::configNameProblem);
    long events = query.count("events", MAX_EVENTS).orElse(0L);
    if (events == 0 && !query.isWrong("events")) {
      query.wrong("events", "is missing");
    }
    var wanted = query.time("from");
    query.refuseOtherParameters();
    query.throwIfWrong();
    Instant from = wanted.orElseGet(slots::now);
    ForecastResult forecast =
        slots.forecast(configName, from, events).orElseThrow(() -> unknown(configName));
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("configName", configName);
          json.writeNumberField("events", events);
          json.writeStringField("from", from.toString());
          switch (forecast) {
            case ForecastResult.Completion through -> {
              json.writeNumberField("placed", events);
              json.writeStringField("through", through.scheduledTime().toString());
              json.writeStringField("windowStart", through.windowStart().toString());
            }
            case ForecastResult.NoCapacity noCapacity ->
                json.writeNumberField("placed", noCapacity.placed());
            case ForecastResult.Beyond beyond -> {
              json.writeNumberField("placed", beyond.placed());
              json.writeStringField("endsAfter", beyond.until().toString());
            }
          }
          json.writeEndObject();
        });
  }

  private static ProblemException unknown(String configName) {
    return new ProblemException(SlotJson.unknownConfig(configName));
  }
}
