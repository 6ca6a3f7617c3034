package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The columns of events that have their times, as they are found by name: in any order and case,
 * with or without underscores. Others are refused: ignoring a misspelt one would lose what it says.
 */
final class AdoptLine {
  private static final List<String> FIELDS =
      List.of("eventId", "scheduledTime", "requestedTime", "state");

  private static final List<String> REQUIRED = List.of("eventId", "scheduledTime");

  /** For each field, the number of its column from 0; -1 if there is none. */
  private final int[] columns;

  /**
   * Finds the columns.
   *
   * @throws FeedException if one is missing, unknown or there twice
   */
  AdoptLine(List<String> names) throws FeedException {
    List<String> plain = names.stream().map(AdoptLine::plain).toList();
    this.columns = FIELDS.stream().mapToInt(field -> plain.indexOf(plain(field))).toArray();
    List<String> missing =
        IntStream.range(0, FIELDS.size())
            .filter(field -> columns[field] < 0)
            .mapToObj(FIELDS::get)
            .filter(REQUIRED::contains)
            .toList();
    if (!missing.isEmpty()) {
      throw new FeedException(
          "there is no column %s: %s"
              .formatted(String.join(", ", missing), String.join(", ", names)));
    }
    List<String> others =
        IntStream.range(0, names.size())
            .filter(column -> Arrays.stream(columns).noneMatch(found -> found == column))
            .mapToObj(column -> names.get(column).isBlank() ? "(no name)" : names.get(column))
            .toList();
    if (!others.isEmpty()) {
      throw new FeedException(
          "there are columns that are unknown, or there twice: %s; known are %s"
              .formatted(String.join(", ", others), String.join(", ", FIELDS)));
    }
  }

  private static String plain(String name) {
    return name.strip().replace("_", "").toLowerCase(Locale.ROOT);
  }

  /** The values of the columns of one event. */
  interface Values {
    /** Returns the value of a column, from 0; empty if there is none. */
    String at(int column) throws IOException;
  }

  /** Returns the line for the server. */
  String json(Values values) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FeedJson.JSON.createGenerator(text)) {
      json.writeStartObject();
      for (int field = 0; field < columns.length; field++) {
        String value = columns[field] < 0 ? "" : values.at(columns[field]);
        boolean isState = FIELDS.get(field).equals("state");
        if (!value.isEmpty() || REQUIRED.contains(FIELDS.get(field))) {
          json.writeStringField(
              FIELDS.get(field), isState ? value.toLowerCase(Locale.ROOT) : value);
        }
      }
      json.writeEndObject();
    }
    return text.toString();
  }
}
