package dev.weir.payments.simulator.report;

import dev.weir.payments.simulator.calls.CallStatistics;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;

/** The chart of one run. */
final class Panel {
  static final int HEIGHT = 352;
  private static final int LEFT = 56;
  private static final int RIGHT = ReportChart.WIDTH - 36;
  private static final int TOP = 76;
  private static final int BOTTOM = 284;
  private static final int MAX_TITLE_LENGTH = 80;

  private final ReportSection section;
  private final ZoneId zone;
  private final List<CallStatistics.Column> columns;
  private final CountScale counts;
  private final double columnWidth;
  private final boolean peaksAreKnown;

  Panel(ReportSection section, ZoneId zone) {
    this.section = section;
    this.zone = zone;
    this.columns = section.calls().columns();
    this.counts = new CountScale(Math.max(section.ceiling(), section.calls().maxInSecond()));
    this.columnWidth = (double) (RIGHT - LEFT) / Math.max(1, columns.size());
    this.peaksAreKnown = columns.stream().anyMatch(column -> column.peak().isPresent());
  }

  void appendTo(StringBuilder svg) {
    text(svg, "title", LEFT, 24, "start", shortened(section.title()));
    text(svg, "verdict", LEFT, 48, "start", section.verdict(zone));
    grid(svg);
    times(svg);
    calls(svg);
    peaks(svg);
    ceiling(svg);
    legend(svg);
  }

  private void grid(StringBuilder svg) {
    for (long count = 0; count <= counts.max(); count += counts.step()) {
      double height = y((double) count);
      svg.append("<path class=\"grid\" d=\"M%s %sH%s\"/>\n".formatted(LEFT, number(height), RIGHT));
      text(svg, "axis", LEFT - 8, height + 4, "end", Figures.number(count));
    }
  }

  private void times(StringBuilder svg) {
    if (columns.isEmpty()) {
      return;
    }
    Instant start = columns.getFirst().start();
    long seconds = columns.size() * section.calls().secondsPerColumn();
    TimeScale scale = new TimeScale(start.getEpochSecond(), seconds, zone);
    for (TimeScale.Tick tick : scale.ticks()) {
      double x =
          LEFT
              + (RIGHT - LEFT) * ((double) (tick.epochSecond() - start.getEpochSecond()) / seconds);
      svg.append(
          "<path class=\"grid\" d=\"M%s %sV%s\"/>\n".formatted(number(x), BOTTOM, BOTTOM + 5));
      text(svg, "axis", x, BOTTOM + 20, "middle", tick.label());
    }
    text(svg, "axis", RIGHT, TOP - 8, "end", "from " + Figures.time(start, zone));
  }

  /** Draws the columns, those with refused calls in another colour. */
  private void calls(StringBuilder svg) {
    StringBuilder within = new StringBuilder();
    StringBuilder above = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      CallStatistics.Column column = columns.get(i);
      if (column.calls() > 0) {
        double mean = (double) column.calls() / section.calls().secondsPerColumn();
        (column.peak().orElse(0) > section.ceiling() ? above : within)
            .append(
                "M%s %sV%sH%sV%sZ"
                    .formatted(number(x(i)), BOTTOM, number(y(mean)), number(x(i + 1)), BOTTOM));
      }
    }
    path(svg, "calls", within);
    path(svg, "above", above);
  }

  private void peaks(StringBuilder svg) {
    if (!peaksAreKnown) {
      return;
    }
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      String y = number(y(columns.get(i).peak().orElse(0)));
      line.append(i == 0 ? "M%s %s".formatted(number(x(0)), y) : "V" + y)
          .append('H')
          .append(number(x(i + 1)));
    }
    path(svg, "peak", line);
  }

  private void ceiling(StringBuilder svg) {
    double y = y(section.ceiling());
    svg.append("<path class=\"ceiling\" d=\"M%s %sH%s\"/>\n".formatted(LEFT, number(y), RIGHT));
    text(
        svg,
        "ceiling-text",
        LEFT + 8,
        y - 7,
        "start",
        "ceiling " + Figures.number(section.ceiling()));
  }

  private void legend(StringBuilder svg) {
    int y = BOTTOM + 48;
    long seconds = section.calls().secondsPerColumn();
    svg.append(
        "<rect class=\"calls\" x=\"%s\" y=\"%s\" width=\"20\" height=\"10\"/>\n"
            .formatted(LEFT, y - 9));
    text(
        svg,
        "axis",
        LEFT + 28,
        y,
        "start",
        seconds == 1
            ? "calls in each second"
            : "calls a second, mean of each " + Figures.number(seconds) + " s");
    if (peaksAreKnown) {
      svg.append("<path class=\"peak\" d=\"M%s %sh20\"/>\n".formatted(LEFT + 280, y - 4));
      text(svg, "axis", LEFT + 308, y, "start", "max of the sliding seconds");
    }
    if (peaksAreKnown && !section.calls().within(section.ceiling())) {
      svg.append(
          "<rect class=\"above\" x=\"%s\" y=\"%s\" width=\"20\" height=\"10\"/>\n"
              .formatted(LEFT + 540, y - 9));
      text(svg, "axis", LEFT + 568, y, "start", "above the ceiling");
    }
  }

  private static void path(StringBuilder svg, String kind, StringBuilder data) {
    if (!data.isEmpty()) {
      svg.append("<path class=\"").append(kind).append("\" d=\"").append(data).append("\"/>\n");
    }
  }

  private static void text(
      StringBuilder svg, String kind, double x, double y, String anchor, String text) {
    svg.append(
        "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n"
            .formatted(kind, number(x), number(y), anchor, XmlText.of(text)));
  }

  private double x(int column) {
    return LEFT + column * columnWidth;
  }

  private double y(double count) {
    return BOTTOM - (BOTTOM - TOP) * (count / counts.max());
  }

  /** Returns a coordinate to a tenth of a pixel. */
  private static String number(double coordinate) {
    String text = String.format(Locale.ROOT, "%.1f", coordinate);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static String shortened(String title) {
    return title.codePointCount(0, title.length()) <= MAX_TITLE_LENGTH
        ? title
        : title.substring(0, title.offsetByCodePoints(0, MAX_TITLE_LENGTH)) + "…";
  }
}
