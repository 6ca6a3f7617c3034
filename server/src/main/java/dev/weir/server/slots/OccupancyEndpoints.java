package dev.weir.server.slots;

import dev.weir.http.endpoints.ReadsQuery;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.planning.internal.Backlog;
import dev.weir.slots.planning.internal.WindowCells;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.time.Duration;
import java.time.Instant;

/** The windows ahead in a bounded number of cells: as they are, and as they would be. */
@Controller("/api/v1/dashboard")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class OccupancyEndpoints {
  private static final Duration DEFAULT_LENGTH = Duration.ofHours(1);

  private final SlotScheduler slots;
  private final DefaultConfig defaultConfig;

  OccupancyEndpoints(SlotScheduler slots, DefaultConfig defaultConfig) {
    this.slots = slots;
    this.defaultConfig = defaultConfig;
  }

  @Get("/strip")
  @ReadsQuery
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> strip(HttpRequest<?> request) {
    Fields query = Fields.of(request.getParameters());
    String name = query.text("configName", defaultConfig.name(), SlotNames::configNameProblem);
    var wantedFrom = query.time("from");
    var wantedTo = query.time("to");
    int maxCells =
        (int)
            (long)
                query
                    .count("cells", OccupancySpan.MAX_CELLS)
                    .orElse((long) OccupancySpan.DEFAULT_CELLS);
    query.refuseOtherParameters();
    query.throwIfWrong();
    Instant now = slots.now();
    long from = Micros.ceil(wantedFrom.orElse(now));
    long to = wantedTo.map(Micros::ceil).orElse(from + Micros.floor(DEFAULT_LENGTH));
    refuseWrongSpan(query, from, to);
    query.throwIfWrong();
    SlotConfig config =
        slots.config(name).orElseThrow(() -> new ProblemException(SlotJson.unknownConfig(name)));
    SlotPolicy policy = config.policy();
    OccupancySpan span = OccupancySpan.of(policy, from, to, maxCells, policy.windowMicros());
    WindowLoads loads = WindowLoads.read(slots, config, span.fromMicros(), span.untilMicros());
    WindowCells cells = span.newCells();
    for (Backlog.Load load : loads.loads()) {
      cells.add(new Backlog.Fill(load.startMicros(), 1, load.events()), policy.windowMicros());
    }
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("configName", name);
          json.writeNumberField("configVersion", config.version());
          json.writeStringField("windowSize", policy.window().toString());
          Json.writeSeconds(json, "windowSizeSecs", policy.windowMicros());
          json.writeNumberField("maxPerWindow", policy.maxPerWindow());
          json.writeStringField("now", now.toString());
          OccupancyJson.writeSpan(json, span);
          json.writeNumberField("windowsPerCell", span.cellMicros() / policy.windowMicros());
          OccupancyJson.writeCells(json, span, cells, policy);
          OccupancyJson.writeArray(json, "fullest", span, cells::fullest);
          json.writeStringField(
              "completeUntil", OccupancySpan.instant(loads.completeUntilMicros()).toString());
          json.writeEndObject();
        });
  }

  /**
   * Forecasts how the events ahead would lie under another policy. Changes nothing.
   *
   * <p>A configuration that does not exist has no events: then this only checks the policy.
   */
  @Post("/what-if")
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> whatIf(@Body byte[] body) {
    WhatIfRequest request =
        WhatIfRequest.read(
            Fields.of(JsonDocument.read(body, 0, body.length)), defaultConfig.name(), slots);
    WhatIf forecast = WhatIf.of(request, slots.config(request.configName()), slots);
    return Responses.json(forecast::write);
  }

  /** Records a violation if the end is not after the start, or too far from it. */
  static void refuseWrongSpan(Fields fields, long from, long to) {
    if (to <= from) {
      fields.wrong("to", "must be after from");
    } else if (to - from > Micros.floor(OccupancySpan.MAX_LENGTH)) {
      fields.wrong("to", "must be at most %s after from".formatted(OccupancySpan.MAX_LENGTH));
    }
  }
}
