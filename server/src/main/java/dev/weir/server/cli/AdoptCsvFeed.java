package dev.weir.server.cli;

import dev.weir.feeds.internal.CsvRecord;
import dev.weir.feeds.internal.RecordReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events that have their times, as comma-separated values with a header row. */
final class AdoptCsvFeed implements Feed {
  private final RecordReader records;
  private final LineCount count;
  private final int columns;
  private final AdoptLine line;

  /**
   * Reads the header row.
   *
   * @throws FeedException if it has not the right columns
   */
  AdoptCsvFeed(InputStream in, LineCount count) throws IOException {
    this.records = new RecordReader(in, true);
    this.count = count;
    List<String> header = header();
    this.columns = header.size();
    this.line = new AdoptLine(header);
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
      return fields.size() == columns
          ? new FeedLine.Entry(cut.line(), cut.text(), line.json(fields::get))
          : new FeedLine.Flawed(
              cut.line(),
              cut.text(),
              "has " + fields.size() + " fields where the header row has " + columns);
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
}
