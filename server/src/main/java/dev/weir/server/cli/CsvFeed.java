package dev.weir.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.feeds.internal.CsvRecord;
import dev.weir.feeds.internal.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A feed of comma-separated values with a header row. The columns {@code eventId}, {@code
 * configName} and {@code requestedTime} are found by name, in any order and case. Only the first is
 * required, and no other is accepted: ignoring a misspelt {@code requestedTime} would schedule
 * everything for now.
 */
final class CsvFeed implements Feed {
  private static final List<String> KNOWN = List.of("eventId", "configName", "requestedTime");

  private final RecordReader records;
  private final Optional<String> configName;
  private final LineCount count;
  private final int columns;
  private final OptionalInt eventIdColumn;
  private final OptionalInt configNameColumn;
  private final OptionalInt requestedTimeColumn;

  /**
   * Reads the header row.
   *
   * @param configName the configuration of entries that name none
   * @throws FeedException if the header lacks the event id, or has an unknown or duplicate column
   */
  CsvFeed(InputStream in, Optional<String> configName, LineCount count) throws IOException {
    this.records = new RecordReader(in, true);
    this.configName = configName;
    this.count = count;
    List<String> header = header();
    this.columns = header.size();
    this.eventIdColumn = column(header, "eventId");
    this.configNameColumn = column(header, "configName");
    this.requestedTimeColumn = column(header, "requestedTime");
    if (eventIdColumn.isEmpty()) {
      throw new FeedException("the header row has no column eventId: " + String.join(",", header));
    }
    refuseUnknown(header);
  }

  private static void refuseUnknown(List<String> header) throws FeedException {
    List<String> unknown =
        header.stream()
            .map(String::strip)
            .filter(name -> KNOWN.stream().noneMatch(name::equalsIgnoreCase))
            .map(name -> name.isEmpty() ? "(no name)" : name)
            .toList();
    if (!unknown.isEmpty()) {
      throw new FeedException(
          "the header row has unknown columns: %s; known are %s"
              .formatted(String.join(", ", unknown), String.join(", ", KNOWN)));
    }
  }

  @Override
  public @Nullable FeedLine next() throws IOException {
    RecordReader.Cut cut = records.nextNonBlank();
    if (cut == null) {
      count.end();
      return null;
    }
    String flaw = count.flaw(cut);
    if (flaw != null) {
      return new FeedLine.Flawed(cut.line(), cut.text(), flaw);
    }
    try {
      List<String> fields = CsvRecord.parse(cut.text()).fields();
      if (fields.size() != columns) {
        throw new CsvRecord.MalformedException(
            "has " + fields.size() + " fields where the header row has " + columns);
      }
      return new FeedLine.Entry(cut.line(), cut.text(), request(fields));
    } catch (CsvRecord.MalformedException malformed) {
      return new FeedLine.Flawed(cut.line(), cut.text(), malformed.reason());
    }
  }

  @Override
  public boolean mayBlock() throws IOException {
    return records.mayBlock();
  }

  @Override
  public long consumedBytes() {
    return records.consumedBytes();
  }

  private String request(List<String> fields) throws IOException {
    StringWriter request = new StringWriter();
    try (JsonGenerator json = FeedJson.JSON.createGenerator(request)) {
      json.writeStartObject();
      json.writeStringField("eventId", field(fields, eventIdColumn));
      String named = field(fields, configNameColumn);
      String config = named.isEmpty() ? configName.orElse("") : named;
      if (!config.isEmpty()) {
        json.writeStringField("configName", config);
      }
      String time = field(fields, requestedTimeColumn);
      if (!time.isEmpty()) {
        json.writeStringField("requestedTime", time);
      }
      json.writeEndObject();
    }
    return request.toString();
  }

  private List<String> header() throws IOException {
    RecordReader.Cut cut = records.nextNonBlank();
    if (cut == null) {
      throw new FeedException("it is empty, without even a header row");
    }
    if (cut.flaw() != null) {
      throw new FeedException("the header row: " + cut.flaw());
    }
    if (!cut.hasLineEnd()) {
      throw new FeedException("it ends in the line of its header row, so a part of it is missing");
    }
    try {
      return CsvRecord.parse(cut.text()).fields();
    } catch (CsvRecord.MalformedException malformed) {
      throw new FeedException("the header row: " + malformed.reason());
    }
  }

  private static String field(List<String> fields, OptionalInt column) {
    return column.isPresent() ? fields.get(column.getAsInt()) : "";
  }

  private static OptionalInt column(List<String> header, String name) throws FeedException {
    int[] found =
        IntStream.range(0, header.size())
            .filter(column -> header.get(column).strip().equalsIgnoreCase(name))
            .toArray();
    if (found.length > 1) {
      throw new FeedException("the header row names " + name + " more than once");
    }
    return found.length == 0 ? OptionalInt.empty() : OptionalInt.of(found[0]);
  }
}
