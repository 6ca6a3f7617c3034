package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.problems.Problem;
import dev.weir.rules.RuleCounters;
import dev.weir.server.metrics.DecisionCounts;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** Reports what rules refused on this node, by rule and by key. */
@Controller("/api/v1/dashboard/refusals")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class RefusalEndpoints {
  private final Refusals refusals;

  RefusalEndpoints(Dashboard dashboard) {
    this.refusals = dashboard.refusals();
  }

  @Get
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> report() {
    Refusals.Report report = refusals.report();
    return Responses.json(
        json -> {
          json.writeStartObject();
          json.writeStringField("from", report.from().toString());
          json.writeStringField("to", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
          json.writeArrayFieldStart("rules");
          Map<String, DecisionCounts> rules = report.rules().own();
          for (String rule : Refusals.mostRefused(rules)) {
            json.writeStartObject();
            json.writeStringField("rule", rule);
            write(json, rules.getOrDefault(rule, new DecisionCounts()));
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeObjectFieldStart("otherRules");
          write(json, report.rules().shared());
          json.writeEndObject();
          write(json, "keys", report.keys(), report.sampleError(), false);
          write(json, "shadowKeys", report.shadowKeys(), report.sampleError(), true);
          json.writeBooleanField("sampled", report.sampleError() > 0);
          json.writeEndObject();
        });
  }

  private static void write(JsonGenerator json, DecisionCounts counts) throws IOException {
    for (RuleCounters.Kind kind : RuleCounters.Kind.values()) {
      json.writeNumberField(Series.of(kind).jsonName(), counts.of(kind));
    }
  }

  /** Writes the keys with the largest count that is possible, apart from the error of samples. */
  private static void write(
      JsonGenerator json,
      String name,
      HeavyHitters<Refusals.RefusedKey> keys,
      long sampleError,
      boolean isShadow)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (var hitter : keys.certain(Refusals.TOP, Refusals.RefusedKey.ORDER, sampleError)) {
      json.writeStartObject();
      json.writeStringField("rule", hitter.key().rule());
      json.writeStringField("key", hitter.key().key());
      json.writeNumberField("refused", hitter.count() + keys.error());
      json.writeNumberField("error", keys.error() + sampleError);
      json.writeBooleanField("shadow", isShadow);
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
