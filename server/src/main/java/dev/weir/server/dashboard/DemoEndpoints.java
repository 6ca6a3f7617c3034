package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.endpoints.RequiresRole;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.fields.Fields;
import dev.weir.http.fields.JsonDocument;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.io.IOException;
import java.util.List;

/** Makes sample data, on nodes that use no store outside of them. */
@Controller("/api/v1/dashboard/sample")
@RequiresRole(RequiresRole.Role.ADMIN)
@ExecuteOn(TaskExecutors.VIRTUAL)
final class DemoEndpoints {
  private static final long DEFAULT_SECONDS = 60;
  private static final long MAX_SECONDS = 300;

  private final NodeFacts facts;
  private final DemoTraffic traffic;

  DemoEndpoints(NodeFacts facts, DemoTraffic traffic) {
    this.facts = facts;
    this.traffic = traffic;
  }

  @Post
  @Consumes(MediaType.APPLICATION_JSON)
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> make(@Body byte[] body) {
    Fields fields = Fields.of(JsonDocument.read(body, 0, body.length));
    int seconds = (int) (long) fields.whole("seconds", 0, MAX_SECONDS).orElse(DEFAULT_SECONDS);
    fields.refuseOthers();
    fields.throwIfWrong();
    refuseUnlessEmbedded();
    if (!traffic.reserve()) {
      throw new ProblemException(
          Problem.of(409, "sample-running", "Sample traffic is running already."));
    }
    int events = traffic.start(seconds);
    return Responses.json(
        HttpStatus.ACCEPTED,
        json -> {
          json.writeStartObject();
          write(json, "configs", DemoData.CONFIGS);
          write(json, "rules", DemoData.RULES);
          json.writeNumberField("events", events);
          json.writeNumberField("seconds", seconds);
          json.writeEndObject();
        });
  }

  @Delete
  @Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
  HttpResponse<byte[]> remove() {
    refuseUnlessEmbedded();
    traffic.remove();
    return HttpResponse.noContent();
  }

  private void refuseUnlessEmbedded() {
    if (!facts.isEmbedded()) {
      throw new ProblemException(
          Problem.of(
              409,
              "not-embedded",
              "Sample data is made only on a node that uses no database or Redis outside of it."));
    }
  }

  private static void write(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}
