package dev.weir.benchmarks;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * The result of a benchmark: facts about its machine and a table of rows.
 *
 * @param facts what a reader must know to repeat it, in the order to print
 * @param rows the measurements
 */
public record Report(Map<String, String> facts, List<Row> rows) {
  private static final List<String> HEADINGS =
      List.of("case", "subject", "value", "unit", "peer", "peer value", "ratio", "target", "met");
  private static final List<Boolean> RIGHT_ALIGNED =
      List.of(false, false, true, false, false, true, true, true, false);

  public Report {
    rows = List.copyOf(rows);
  }

  /** Prints the facts and the table for humans. */
  public void print(PrintWriter out) {
    int factWidth = facts.keySet().stream().mapToInt(String::length).max().orElse(0);
    facts.forEach((name, fact) -> out.println(pad(name, factWidth, false) + "  " + fact));
    out.println();
    List<List<String>> lines = new ArrayList<>();
    lines.add(HEADINGS);
    rows.forEach(row -> lines.add(cells(row)));
    int[] widths = new int[HEADINGS.size()];
    for (List<String> line : lines) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], line.get(column).length());
      }
    }
    // The first line is the heading, followed by a rule.
    for (int line = 0; line < lines.size(); line++) {
      out.println(joined(lines.get(line), widths));
      if (line == 0) {
        out.println(Arrays.stream(widths).mapToObj("-"::repeat).collect(Collectors.joining("  ")));
      }
    }
    out.flush();
  }

  /** Writes one JSON object per row, each on its own line. */
  public void writeJsonLines(PrintWriter out) {
    rows.forEach(row -> out.print(jsonLine(row) + "\n"));
    out.flush();
  }

  static String jsonLine(Row row) {
    String peer = "null";
    String ratio = "null";
    if (row.comparison() instanceof Row.Against against) {
      peer = quoted(against.peer());
      ratio = Double.toString(row.value() / against.peerValue());
    }
    return "{\"bench\":%s,\"case\":%s,\"subject\":%s,\"peer\":%s,\"value\":%s,\"unit\":%s,\"ratio\":%s}"
        .formatted(
            quoted(row.bench()),
            quoted(row.scenario()),
            quoted(row.subject()),
            peer,
            Double.toString(row.value()),
            quoted(row.unit()),
            ratio);
  }

  private static List<String> cells(Row row) {
    String value = number(row.value());
    return switch (row.comparison()) {
      case Row.Alone alone ->
          List.of(row.scenario(), row.subject(), value, row.unit(), "", "", "", "", "");
      case Row.Against against ->
          List.of(
              row.scenario(),
              row.subject(),
              value,
              row.unit(),
              against.peer(),
              number(against.peerValue()),
              number(row.value() / against.peerValue()),
              target(against.target()),
              against.target() instanceof Row.Untargeted ? "" : row.met() ? "yes" : "NO");
    };
  }

  private static String target(Row.Target target) {
    return switch (target) {
      case Row.AtLeast atLeast -> ">= " + number(atLeast.floor());
      case Row.AtMost atMost -> "<= " + number(atMost.ceiling());
      case Row.Untargeted untargeted -> "";
    };
  }

  private static String number(double value) {
    double size = Math.abs(value);
    String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, format, value);
  }

  private static String joined(List<String> cells, int[] widths) {
    StringJoiner line = new StringJoiner("  ");
    for (int column = 0; column < widths.length; column++) {
      line.add(pad(cells.get(column), widths[column], RIGHT_ALIGNED.get(column)));
    }
    return line.toString().stripTrailing();
  }

  private static String pad(String text, int width, boolean right) {
    String blank = " ".repeat(Math.max(0, width - text.length()));
    return right ? blank + text : text + blank;
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int at = 0; at < text.length(); at++) {
      char character = text.charAt(at);
      if (character == '"' || character == '\\') {
        json.append('\\').append(character);
      } else if (character < ' ') {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
      } else {
        json.append(character);
      }
    }
    return json.append('"').toString();
  }
}
