package dev.weir.payments.simulator.report;

import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The report as Markdown, for a reader who wants the result first and the figures behind it. */
public final class ReportText {
  private ReportText() {}

  private static final String BY_THE_API =
      "The payment API recorded the time at which each call arrived.";

  private static final String BY_CALLERS =
      "Each caller recorded the time right before it sent a call, by its own clock, and recorded"
          + " the call when its result was known.";

  /** Returns the report about some runs, in their order. */
  public static String of(List<ReportSection> sections) {
    return """
    # Calls to the payment API

    %s
    ## How this was measured
    %s A sliding second is every \
    interval of one second, wherever it begins, so a burst across the boundary of two clock \
    seconds counts as one. Every call counts, including repeated and refused ones. A payment \
    is booked once, however often it is called: the payment id is the idempotency key.
    """
        .formatted(
            sections.stream().map(ReportText::section).collect(Collectors.joining("\n")),
            sections.stream().allMatch(section -> section.feed().isPresent())
                ? BY_CALLERS
                : BY_THE_API);
  }

  private static String section(ReportSection section) {
    List<String> lines = new ArrayList<>();
    lines.add("## " + inline(section.title()));
    lines.add("**" + section.verdict() + "**");
    lines.add("");
    lines.add("| | |");
    lines.add("|---|---|");
    figures(section)
        .forEach(figure -> lines.add("| " + figure.name() + " | " + figure.value() + " |"));
    return String.join("\n", lines) + "\n";
  }

  private record Figure(String name, String value) {}

  private static List<Figure> figures(ReportSection section) {
    CallStatistics calls = section.calls();
    List<Figure> figures = new ArrayList<>();
    section.feed().ifPresent(feed -> addFeed(figures, feed));
    figures.add(new Figure("payments booked", Figures.number(calls.booked())));
    figures.add(new Figure("calls", Figures.number(calls.calls())));
    for (CallResult result : CallResult.values()) {
      if (calls.count(result) > 0) {
        figures.add(new Figure("calls: " + result.phrase(), Figures.number(calls.count(result))));
      }
    }
    figures.add(new Figure("ceiling, calls a second", Figures.number(section.ceiling())));
    figures.add(new Figure("max calls in a sliding second", Figures.number(calls.maxInSecond())));
    if (calls.first().isPresent()) {
      figures.add(new Figure("mean calls a second", Figures.rate(meanPerSecond(calls))));
      figures.add(new Figure("first call", Figures.time(calls.first().get())));
      figures.add(new Figure("last call", Figures.time(calls.last().orElseThrow())));
      figures.add(new Figure("duration", Figures.duration(calls.duration())));
    }
    return figures;
  }

  private static void addFeed(List<Figure> figures, FeedCounts feed) {
    figures.add(new Figure("records read", Figures.number(feed.read())));
    figures.add(new Figure("records rejected", Figures.number(feed.rejected())));
    figures.add(new Figure("records repeated, skipped", Figures.number(feed.repeated())));
    figures.add(new Figure("payments made", Figures.number(feed.paid())));
    figures.add(new Figure("payments failed", Figures.number(feed.failed())));
    figures.add(new Figure("payments cancelled", Figures.number(feed.cancelled())));
    long open =
        feed.read()
            - feed.rejected()
            - feed.repeated()
            - feed.paid()
            - feed.failed()
            - feed.cancelled();
    figures.add(new Figure("payments still to be made", Figures.number(Math.max(0, open))));
    feed.firstScheduled()
        .ifPresent(time -> figures.add(new Figure("first slot", Figures.time(time))));
    feed.lastScheduled()
        .ifPresent(time -> figures.add(new Figure("last slot", Figures.time(time))));
  }

  /** Returns the mean rate. A run shorter than a second counts as one second. */
  static double meanPerSecond(CallStatistics calls) {
    return calls.calls() / Math.max(1, calls.duration().toNanos() / 1e9);
  }

  /** Returns text in which nothing is Markdown, on one line. */
  private static String inline(String text) {
    return text.replaceAll("\\s+", " ").replaceAll("([\\\\`*_{}\\[\\]<>()#+!|~-])", "\\\\$1");
  }
}
