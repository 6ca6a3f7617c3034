package dev.weir.payments.feed.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;

/** Writes the lines of a feed in one of its formats. */
sealed interface FeedLines {

  /** Writes what comes before the payments. */
  void header() throws IOException;

  void payment(RawPayment payment) throws IOException;

  /** Writes a line that is not a record of the format. */
  void malformed(RawPayment payment) throws IOException;

  /** Hands everything that was written to the writer below. */
  void flush() throws IOException;

  static FeedLines of(FeedFormat format, Writer out) {
    return switch (format) {
      case CSV -> new Csv(out);
      case NDJSON -> new Ndjson(out);
    };
  }

  /** Comma-separated values with all columns. */
  final class Csv implements FeedLines {
    private final CsvWriter writer;

    private Csv(Writer out) {
      this.writer = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out);
    }

    @Override
    public void header() {
      writer.writeRecord(Arrays.stream(FeedField.values()).map(FeedField::text).toList());
    }

    @Override
    public void payment(RawPayment payment) {
      writer.writeRecord(values(payment));
    }

    @Override
    public void malformed(RawPayment payment) {
      writer.writeRecord(values(payment).subList(0, 3));
    }

    @Override
    public void flush() throws IOException {
      writer.flush();
    }

    private static List<String> values(RawPayment payment) {
      return Arrays.stream(FeedField.values()).map(payment::get).toList();
    }
  }

  /** JSON objects without the fields that are empty. */
  final class Ndjson implements FeedLines {
    private static final JsonFactory JSON = new JsonFactory();

    private final Writer out;

    private Ndjson(Writer out) {
      this.out = out;
    }

    @Override
    public void header() {}

    @Override
    public void payment(RawPayment payment) throws IOException {
      out.write(text(payment));
      out.write('\n');
    }

    @Override
    public void malformed(RawPayment payment) throws IOException {
      String text = text(payment);
      out.write(text, 0, text.length() / 2);
      out.write('\n');
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    private static String text(RawPayment payment) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator json = JSON.createGenerator(text)) {
        json.writeStartObject();
        for (FeedField field : FeedField.values()) {
          if (!payment.get(field).isEmpty()) {
            json.writeStringField(field.text(), payment.get(field));
          }
        }
        json.writeEndObject();
      }
      return text.toString();
    }
  }
}
