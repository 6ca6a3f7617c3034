package dev.weir.torture;

import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.FaultNote;
import java.io.PrintWriter;
import java.util.Map;
import java.util.stream.Collectors;

/** What is printed about a round. */
final class Report {
  private static final int MAX_TEXT = 400;
  private static final double NANOS_A_SECOND = 1e9;

  private final PrintWriter out;
  private final String store;

  Report(PrintWriter out, String store) {
    this.out = out;
    this.store = store;
  }

  void print(Torture.Outcome outcome) {
    long beginNanos =
        outcome.history().exchanges().stream().mapToLong(Exchange::beginNanos).min().orElse(0);
    Map<Exchange.Outcome, Long> outcomes =
        outcome.history().exchanges().stream()
            .collect(Collectors.groupingBy(Exchange::outcome, Collectors.counting()));
    out.printf(
        "seed %d, limits in %s: %d requests %s, %d faults: %s%n",
        outcome.seed(),
        store,
        outcome.history().exchanges().size(),
        outcomes,
        outcome.history().faults().size(),
        outcome.findings().isClean() ? "all promises kept" : "BROKEN");
    out.printf("  looked at %s%n", outcome.findings().looked());
    if (!outcome.findings().isClean()) {
      outcome.history().faults().forEach(fault -> print(fault, beginNanos));
      outcome.findings().violations().forEach(violation -> print(outcome, violation, beginNanos));
      out.printf("  all requests: %s%n", outcome.history().file());
    }
    out.flush();
  }

  private void print(FaultNote fault, long beginNanos) {
    out.printf(
        "  %8.3f-%.3f s  %s%n",
        seconds(fault.beginNanos(), beginNanos),
        seconds(fault.endNanos(), beginNanos),
        fault.name());
  }

  private void print(Torture.Outcome outcome, Violation violation, long beginNanos) {
    Promise promise = violation.promise();
    out.printf("  %s IS BROKEN: %s%n", promise, promise.claim());
    out.printf("    %s%n", violation.text());
    for (Exchange exchange : violation.witness()) {
      out.printf(
          "    #%d node %d %8.3f-%.3f s  %s %s%n      -> %d %s%n",
          exchange.number(),
          exchange.node(),
          seconds(exchange.beginNanos(), beginNanos),
          seconds(exchange.endNanos(), beginNanos),
          exchange.kind(),
          shortened(exchange.request()),
          exchange.status(),
          shortened(exchange.answer()));
    }
    out.printf(
        "    Repeat: ./weir torture --seed %d --store %s --only %s%n",
        outcome.seed(), store, promise);
  }

  private static double seconds(long nanos, long beginNanos) {
    return (nanos - beginNanos) / NANOS_A_SECOND;
  }

  private static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }
}
