package dev.weir.server.cli;

import java.util.ArrayList;
import java.util.List;

/** The fields of one record of comma-separated values (RFC 4180). */
record CsvRecord(List<String> fields) {
  CsvRecord {
    fields = List.copyOf(fields);
  }

  /** Says that a record breaks the rules of the format. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    MalformedException(String reason) {
      super(reason);
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  /**
   * Takes a record apart. Stricter than many readers: a quote that does not enclose a whole field
   * is refused, because guessing would schedule a payment under an id that nobody gave it.
   */
  static CsvRecord parse(String text) throws MalformedException {
    List<String> fields = new ArrayList<>();
    int at = 0;
    while (true) {
      int next;
      if (at < text.length() && text.charAt(at) == '"') {
        int close = closingQuote(text, at);
        fields.add(text.substring(at + 1, close).replace("\"\"", "\""));
        next = close + 1;
        if (next < text.length() && text.charAt(next) != ',') {
          throw new MalformedException(
              "field " + fields.size() + " goes on after its closing quote");
        }
      } else {
        int comma = text.indexOf(',', at);
        next = comma < 0 ? text.length() : comma;
        String field = text.substring(at, next);
        fields.add(field);
        if (field.indexOf('"') >= 0) {
          throw new MalformedException(
              "field " + fields.size() + " has a quote inside but is not enclosed in quotes");
        }
      }
      if (next == text.length()) {
        return new CsvRecord(fields);
      }
      at = next + 1;
    }
  }

  private static int closingQuote(String text, int open) throws MalformedException {
    int at = text.indexOf('"', open + 1);
    while (at >= 0 && at + 1 < text.length() && text.charAt(at + 1) == '"') {
      at = text.indexOf('"', at + 2);
    }
    if (at < 0) {
      throw new MalformedException("a quote is opened and never closed");
    }
    return at;
  }
}
