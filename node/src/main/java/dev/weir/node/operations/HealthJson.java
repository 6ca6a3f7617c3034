package dev.weir.node.operations;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.endpoints.Readiness;
import java.io.IOException;
import java.util.List;

/**
 * Whether a program works, as probes read it.
 *
 * @param reason why it is not ready; empty if it is
 * @param warnings what does not work although it is ready
 */
public record HealthJson(String reason, List<String> warnings) {
  public static final HealthJson UP = new HealthJson("", List.of());

  public static HealthJson of(Readiness readiness) {
    String reason = readiness.reasonAgainst();
    return reason.isEmpty() ? new HealthJson("", readiness.warnings()) : down(reason);
  }

  public static HealthJson down(String reason) {
    return new HealthJson(reason, List.of());
  }

  public boolean isUp() {
    return reason.isEmpty();
  }

  public void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("status", isUp() ? "UP" : "DOWN");
    if (!isUp()) {
      json.writeStringField("reason", reason);
    }
    if (!warnings.isEmpty()) {
      json.writeArrayFieldStart("warnings");
      for (String warning : warnings) {
        json.writeString(warning);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }
}
