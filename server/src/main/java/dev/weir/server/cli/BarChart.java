package dev.weir.server.cli;

import dev.weir.client.WindowPage;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws how full windows are: a row with a bar for each, and a line for each stretch of empty ones.
 */
final class BarChart {
  private static final String EIGHTHS = " ▏▎▍▌▋▊▉";
  private static final String GREEN = "\u001b[32m";
  private static final String YELLOW = "\u001b[33m";
  private static final String RED = "\u001b[31m";
  private static final String RESET = "\u001b[0m";

  /**
   * Three gaps of two spaces, the percentage, and a free last column, where some terminals wrap.
   */
  private static final int SPACES_AND_PERCENT_COLUMNS = 3 * 2 + "100 %".length() + 1;

  private static final int NARROWEST_BAR_COLUMNS = 5;

  private final Terminal terminal;
  private final Duration windowSize;

  BarChart(Terminal terminal, Duration windowSize) {
    this.terminal = terminal;
    this.windowSize = windowSize;
  }

  List<String> rows(List<WindowPage.Occupancy> windows) {
    List<WindowPage.Occupancy> taken =
        windows.stream().filter(window -> window.taken() > 0).toList();
    int timeColumns = widest(taken.stream().map(window -> window.start().toString()).toList());
    int countColumns = widest(taken.stream().map(BarChart::count).toList());
    int barColumns =
        Math.max(
            NARROWEST_BAR_COLUMNS,
            terminal.widthColumns() - timeColumns - countColumns - SPACES_AND_PERCENT_COLUMNS);
    List<String> rows = new ArrayList<>();
    for (int index = 0; index < taken.size(); index++) {
      WindowPage.Occupancy window = taken.get(index);
      if (index > 0) {
        gap(taken.get(index - 1).end(), window.start(), rows);
      }
      rows.add(
          "%s  %s  %s  %s"
              .formatted(
                  pad(window.start().toString(), timeColumns),
                  bar(window, barColumns),
                  " ".repeat(countColumns - count(window).length()) + count(window),
                  String.format(Locale.ROOT, "%3d %%", percent(window))));
    }
    return rows;
  }

  private void gap(Instant from, Instant until, List<String> rows) {
    long empty = Duration.between(from, until).dividedBy(windowSize);
    if (empty > 0) {
      rows.add((terminal.unicode() ? "… " : "... ") + Phrases.count(empty, "empty window"));
    }
  }

  private String bar(WindowPage.Occupancy window, int columns) {
    double share = Math.min(1, (double) window.taken() / window.max());
    String bar = terminal.unicode() ? eighths(share, columns) : hashes(share, columns);
    String colour = share >= 1 ? RED : share >= 0.8 ? YELLOW : GREEN;
    String padded = pad(bar, columns);
    return terminal.colours() ? colour + padded + RESET : padded;
  }

  /**
   * Returns the bar. Any use shows at least a sliver, and a window that is not full never looks
   * full.
   */
  private static String eighths(double share, int columns) {
    int max = columns * 8;
    int eighths = share >= 1 ? max : Math.clamp((int) (share * max), 1, max - 1);
    String whole = "█".repeat(eighths / 8);
    return eighths % 8 == 0 ? whole : whole + EIGHTHS.charAt(eighths % 8);
  }

  private static String hashes(double share, int columns) {
    return "#".repeat(share >= 1 ? columns : Math.clamp((int) (share * columns), 1, columns - 1));
  }

  /**
   * Returns the percentage, rounded down so that 100 % means full. A lowered limit can exceed it.
   */
  private static long percent(WindowPage.Occupancy window) {
    return 100 * window.taken() / window.max();
  }

  private static String count(WindowPage.Occupancy window) {
    return Phrases.number(window.taken()) + "/" + Phrases.number(window.max());
  }

  private static int widest(List<String> texts) {
    return texts.stream().mapToInt(String::length).max().orElse(0);
  }

  private static String pad(String text, int columns) {
    return text + " ".repeat(columns - text.length());
  }
}
