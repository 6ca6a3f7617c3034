package dev.weir.server.dashboard;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.limits.AcquireResult;
import java.io.IOException;
import java.util.List;

/**
 * Whether a node works.
 *
 * @param reason why it is not ready; empty if it is
 * @param storesGone stores of limits that it has given up for a while
 * @param mode the worst mode of recent decisions
 * @param modes all modes of recent decisions, the worst first; empty if there was none
 * @param leaked leaked slots as they were counted last
 */
record NodeState(
    String reason,
    List<String> warnings,
    List<String> storesGone,
    AcquireResult.Mode mode,
    List<AcquireResult.Mode> modes,
    long leaked) {

  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeBooleanField("ready", reason.isEmpty());
    json.writeStringField("reason", reason);
    writeTexts(json, "warnings", warnings);
    writeTexts(json, "storesGone", storesGone);
    json.writeStringField("mode", Fields.lower(mode));
    writeTexts(json, "modes", modes.stream().map(Fields::lower).toList());
    json.writeNumberField("leaked", leaked);
    json.writeEndObject();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}
