package dev.weir.feeds.internal;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.util.ArrayList;
import java.util.List;

/** The fields of one record of comma-separated values (RFC 4180), as FastCSV reads them. */
public record CsvRecord(List<String> fields) {
  public CsvRecord {
    fields = List.copyOf(fields);
  }

  /** Thrown if a record breaks the rules of the format. */
  public static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    public MalformedException(String reason) {
      super(reason);
      this.reason = reason;
    }

    public String reason() {
      return reason;
    }
  }

  /**
   * Splits a record into its fields. Stricter than FastCSV: a quote inside an unquoted field and a
   * carriage return outside quotes are refused, because guessing would schedule a payment under an
   * id that the feed does not contain.
   *
   * @param text one record without its line end
   */
  public static CsvRecord parse(String text) throws MalformedException {
    return isPlain(text) ? new CsvRecord(plainFields(text)) : parseQuoted(text);
  }

  /**
   * Returns true if commas alone separate the fields, as in most records. Setting up a reader of
   * FastCSV for one record costs ten times as much as splitting it.
   */
  private static boolean isPlain(String text) {
    return text.indexOf('"') < 0 && text.indexOf('\r') < 0 && text.indexOf('\n') < 0;
  }

  private static List<String> plainFields(String text) {
    List<String> fields = new ArrayList<>();
    int begin = 0;
    for (int comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', begin)) {
      fields.add(text.substring(begin, comma));
      begin = comma + 1;
    }
    fields.add(text.substring(begin));
    return fields;
  }

  private static CsvRecord parseQuoted(String text) throws MalformedException {
    FieldCollector collector = new FieldCollector();
    boolean oneRecord;
    try {
      oneRecord = isOneRecord(text, collector, false);
    } catch (CsvParseException malformed) {
      throw new MalformedException(quoteFlaw(text));
    }
    if (!oneRecord || text.endsWith("\r")) {
      throw new MalformedException("has a carriage return outside quotes");
    }
    if (collector.fieldWithStrayQuote > 0) {
      throw new MalformedException(
          "field "
              + collector.fieldWithStrayQuote
              + " has a quote inside but is not enclosed in quotes");
    }
    return new CsvRecord(collector.fields);
  }

  /** Reads the first record and returns true if no other follows. */
  private static boolean isOneRecord(
      String text, FieldCollector collector, boolean allowUnclosedQuote) {
    CloseableIterator<FieldCollector> records =
        CsvReader.builder()
            .skipEmptyLines(false)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(allowUnclosedQuote)
            .build(collector, text)
            .iterator();
    if (records.hasNext()) {
      records.next();
    }
    return !records.hasNext();
  }

  /**
   * Returns which flaw it was. FastCSV has one exception for both, so this retries with one
   * allowed.
   */
  private static String quoteFlaw(String text) {
    FieldCollector collector = new FieldCollector();
    try {
      isOneRecord(text, collector, true);
      return "a quote is opened and never closed";
    } catch (CsvParseException extraCharacters) {
      return "field " + (collector.fields.size() + 1) + " goes on after its closing quote";
    }
  }

  private static final class FieldCollector extends AbstractBaseCsvCallbackHandler<FieldCollector> {
    private final List<String> fields = new ArrayList<>();
    private int fieldWithStrayQuote;

    @Override
    protected void handleField(int index, char[] buffer, int offset, int length, boolean quoted) {
      String field = new String(buffer, offset, length);
      fields.add(field);
      if (!quoted && fieldWithStrayQuote == 0 && field.indexOf('"') >= 0) {
        fieldWithStrayQuote = fields.size();
      }
    }

    @Override
    protected FieldCollector buildRecord() {
      return this;
    }
  }
}
