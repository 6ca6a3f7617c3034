package dev.weir.payments.feed.internal;

import dev.weir.feeds.internal.CsvRecord;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The records of a CSV feed. Columns are found by their names in the header row, in any order and
 * case. A column that is not known is refused: ignoring a misspelt {@code requestedTime} would pay
 * everything now.
 */
final class CsvParser implements RecordParser {
  private final List<FeedField> columns;

  private CsvParser(List<FeedField> columns) {
    this.columns = columns;
  }

  /**
   * Reads the header row.
   *
   * @throws FeedException if a column is unknown, repeated or missing
   */
  static CsvParser ofHeader(String header) throws FeedException {
    List<String> names;
    try {
      names = CsvRecord.parse(header).fields().stream().map(String::strip).toList();
    } catch (CsvRecord.MalformedException malformed) {
      throw new FeedException("the header row: " + malformed.reason());
    }
    List<String> unknown = new ArrayList<>();
    List<FeedField> columns = new ArrayList<>();
    for (String name : names) {
      FeedField field = field(name);
      if (field == null) {
        unknown.add(name.isEmpty() ? "(no name)" : Excerpt.of(name));
      } else if (columns.contains(field)) {
        throw new FeedException("the header row names " + field.text() + " more than once");
      } else {
        columns.add(field);
      }
    }
    if (!unknown.isEmpty()) {
      throw new FeedException(
          "the header row has unknown columns: %s; known are %s"
              .formatted(Excerpt.of(String.join(", ", unknown)), FeedField.names()));
    }
    requireAll(columns);
    return new CsvParser(List.copyOf(columns));
  }

  @Override
  public RawPayment parse(String record) throws MalformedRecordException {
    List<String> values;
    try {
      values = CsvRecord.parse(record).fields();
    } catch (CsvRecord.MalformedException malformed) {
      throw new MalformedRecordException(malformed.reason());
    }
    if (values.size() != columns.size()) {
      throw new MalformedRecordException(
          "has %d fields where the header row has %d".formatted(values.size(), columns.size()));
    }
    RawPayment payment = new RawPayment();
    for (int i = 0; i < columns.size(); i++) {
      payment.put(columns.get(i), values.get(i));
    }
    return payment;
  }

  private static void requireAll(List<FeedField> columns) throws FeedException {
    Set<FeedField> missing = EnumSet.allOf(FeedField.class);
    missing.removeIf(field -> !field.isRequired() || columns.contains(field));
    if (!missing.isEmpty()) {
      throw new FeedException(
          "the header row lacks the columns "
              + missing.stream().map(FeedField::text).collect(Collectors.joining(", ")));
    }
  }

  private static @Nullable FeedField field(String name) {
    for (FeedField field : FeedField.values()) {
      if (field.text().equalsIgnoreCase(name)) {
        return field;
      }
    }
    return null;
  }
}
