package dev.weir.payments.simulator.report;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * The report as one SVG image, with a chart for each run: the calls of each second, the max of the
 * sliding seconds, and the ceiling. It contains no script and refers to nothing outside, follows a
 * reader's dark mode, and has a title and a description for readers who cannot see it.
 */
public final class ReportChart {
  static final int WIDTH = 960;
  private static final int MARGIN = 16;

  private static final String STYLE =
      """
      text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
        font-size: 13px; fill: #24292f; }
      .title { font-size: 18px; font-weight: 600; }
      .axis { font-size: 12px; fill: #57606a; }
      .ground { fill: #ffffff; }
      .grid { stroke: #d8dee4; stroke-width: 1; fill: none; }
      .calls { fill: #9ccbf5; }
      .above { fill: #e5484d; }
      .peak { stroke: #0b5cad; stroke-width: 1.5; fill: none; }
      .ceiling { stroke: #b3261e; stroke-width: 2; stroke-dasharray: 8 4; fill: none; }
      .ceiling-text { fill: #b3261e; font-weight: 600; }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3; }
        .axis { fill: #9198a1; }
        .ground { fill: #0d1117; }
        .grid { stroke: #30363d; }
        .calls { fill: #1f4f7d; }
        .above { fill: #e5484d; }
        .peak { stroke: #79c0ff; }
        .ceiling { stroke: #ff7b72; }
        .ceiling-text { fill: #ff7b72; }
      }
      """;

  private ReportChart() {}

  /** Returns the image for some runs, from top to bottom, with times of UTC. */
  public static String of(List<ReportSection> sections) {
    return of(sections, ZoneOffset.UTC);
  }

  /** Returns the image for some runs, from top to bottom, with times in a zone. */
  public static String of(List<ReportSection> sections, ZoneId zone) {
    int height = Math.max(1, sections.size()) * Panel.HEIGHT + 2 * MARGIN;
    StringBuilder svg = new StringBuilder(16_384);
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %2$s" width="%1$s" \
        height="%2$s" role="img" aria-labelledby="report-title report-description">
        <title id="report-title">Calls to the payment API per second</title>
        <desc id="report-description">%3$s</desc>
        <style>
        %4$s</style>
        <rect class="ground" width="%1$s" height="%2$s"/>
        """
            .formatted(WIDTH, height, XmlText.of(description(sections, zone)), STYLE));
    for (int i = 0; i < sections.size(); i++) {
      svg.append("<g transform=\"translate(0 %s)\">\n".formatted(MARGIN + i * Panel.HEIGHT));
      new Panel(sections.get(i), zone).appendTo(svg);
      svg.append("</g>\n");
    }
    return svg.append("</svg>\n").toString();
  }

  private static String description(List<ReportSection> sections, ZoneId zone) {
    if (sections.isEmpty()) {
      return "Nothing was run.";
    }
    StringBuilder text = new StringBuilder();
    for (ReportSection section : sections) {
      text.append(text.isEmpty() ? "" : " ")
          .append(section.title())
          .append(": ")
          .append(section.verdict(zone));
    }
    return text.toString();
  }
}
