package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.json.Json;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.planning.internal.WindowCapacity;
import dev.weir.slots.planning.internal.WindowCells;
import java.io.IOException;
import java.util.function.IntToLongFunction;

/** Writes strips of cells as JSON. */
final class OccupancyJson {
  private OccupancyJson() {}

  /** Writes where the cells lie. */
  static void writeSpan(JsonGenerator json, OccupancySpan span) throws IOException {
    json.writeStringField("from", OccupancySpan.instant(span.fromMicros()).toString());
    json.writeStringField("to", OccupancySpan.instant(span.untilMicros()).toString());
    Json.writeSeconds(json, "cellSecs", span.cellMicros());
  }

  /** Writes the cells with the number of events and of places in each. */
  static void writeCells(
      JsonGenerator json, OccupancySpan span, WindowCells cells, SlotPolicy policy)
      throws IOException {
    writeArray(json, "taken", span, cells::taken);
    writeArray(
        json,
        "capacity",
        span,
        cell ->
            WindowCapacity.between(
                policy, cells.startMicros(cell), cells.startMicros(cell) + span.cellMicros()));
  }

  static void writeArray(
      JsonGenerator json, String name, OccupancySpan span, IntToLongFunction value)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (int cell = 0; cell < span.cells(); cell++) {
      json.writeNumber(value.applyAsLong(cell));
    }
    json.writeEndArray();
  }
}
