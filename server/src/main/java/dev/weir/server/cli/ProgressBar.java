package dev.weir.server.cli;

import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.Terminal;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Formats the progress of an import in one line: how much is done, its rate and the time left. */
final class ProgressBar {
  private static final int WIDEST_BAR_COLUMNS = 40;
  private static final int NARROWEST_BAR_COLUMNS = 5;

  private final Terminal terminal;
  private final OptionalLong totalBytes;
  private final LongSupplier nanoTime;
  private final long startNanos;

  /**
   * Starts to measure.
   *
   * @param totalBytes the length of the feed, if known
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  ProgressBar(Terminal terminal, OptionalLong totalBytes, LongSupplier nanoTime) {
    this.terminal = terminal;
    this.totalBytes = totalBytes;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  Duration elapsed() {
    return Duration.ofNanos(nanoTime.getAsLong() - startNanos);
  }

  long eventsPerSecond(ImportTally.Counts counts) {
    return (long) (counts.answered() / Math.max(seconds(), 0.001));
  }

  /** Returns the time left at the average rate so far; empty before the first result. */
  Optional<Duration> timeLeft(ImportTally.Counts counts) {
    long done = counts.feedBytes();
    if (totalBytes.isEmpty() || done == 0) {
      return Optional.empty();
    }
    // A feed may grow while it is read.
    double left = Math.max(0, totalBytes.getAsLong() - done);
    return Optional.of(Duration.ofMillis(Math.round(seconds() * left / done * 1000)));
  }

  /** Returns the line, with a bar if it is updated in place on a terminal. */
  String text(ImportTally.Counts counts) {
    String numbers = numbers(counts);
    if (!terminal.interactive() || totalBytes.isEmpty()) {
      return numbers;
    }
    int room = Math.min(terminal.widthColumns() - 4 - numbers.length(), WIDEST_BAR_COLUMNS);
    if (room < NARROWEST_BAR_COLUMNS) {
      return numbers.substring(0, Math.min(numbers.length(), terminal.widthColumns() - 1));
    }
    int filled = (int) (room * share(counts));
    String full = terminal.unicode() ? "█" : "#";
    String empty = terminal.unicode() ? "░" : "-";
    return full.repeat(filled) + empty.repeat(room - filled) + " " + numbers;
  }

  private String numbers(ImportTally.Counts counts) {
    StringBuilder text = new StringBuilder();
    if (totalBytes.isPresent()) {
      text.append((int) (100 * share(counts))).append("% of ");
      text.append(Phrases.megabytes(totalBytes.getAsLong()));
    } else {
      text.append(Phrases.megabytes(counts.feedBytes()));
    }
    text.append(", ").append(Phrases.count(counts.answered(), "event"));
    text.append(", ").append(Phrases.number(eventsPerSecond(counts))).append("/s");
    timeLeft(counts)
        .ifPresent(left -> text.append(", ").append(Phrases.clock(left)).append(" left"));
    if (counts.rejected() > 0) {
      text.append(", ").append(Phrases.number(counts.rejected())).append(" rejected");
    }
    if (counts.waiting() > 0) {
      text.append(", ")
          .append(Phrases.number(counts.waiting()))
          .append(" waiting for the database");
    }
    return text.toString();
  }

  private double share(ImportTally.Counts counts) {
    long total = totalBytes.orElse(0);
    return total == 0 ? 1 : Math.min(1, (double) counts.feedBytes() / total);
  }

  private double seconds() {
    return elapsed().toNanos() / 1e9;
  }
}
