package dev.weir.torture.slots;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.history.Exchange.Outcome;
import dev.weir.torture.history.Json;
import dev.weir.torture.slots.SlotFacts.Event;
import dev.weir.torture.slots.SlotFacts.Given;
import dev.weir.torture.slots.SlotFacts.Version;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks how many events the windows hold (S1), which came first (S4), and the spread (S5). */
final class WindowCheck {
  private static final int UNAVAILABLE = 503;

  private final SlotFacts facts;
  private final Findings findings;

  WindowCheck(SlotFacts facts, Findings findings) {
    this.facts = facts;
    this.findings = findings;
  }

  /**
   * Versions follow each other. So when the last event of a version was assigned, all events of
   * that version and of earlier ones were there, or were cancelled since.
   */
  void limits(String config) {
    List<Event> placed = facts.placed(config);
    new TreeMap<>(facts.versions(config))
        .forEach(
            (number, version) -> {
              Map<Long, List<Event>> windows = new TreeMap<>();
              for (Event event : placed) {
                if (version(event) <= number) {
                  windows
                      .computeIfAbsent(window(event, version), any -> new ArrayList<>())
                      .add(event);
                }
              }
              windows.forEach((window, events) -> limit(config, number, version, events));
            });
  }

  private void limit(String config, int number, Version version, List<Event> events) {
    findings.looked(Promise.S1, 1);
    boolean isOfVersion = events.stream().anyMatch(event -> version(event) == number);
    if (isOfVersion && events.size() > version.maxPerWindow()) {
      findings.broken(
          Promise.S1,
          "a window of %s holds %d events, and %d was its limit in version %d"
              .formatted(config, events.size(), version.maxPerWindow(), number),
          events.stream().map(Event::witness).toList());
    }
  }

  private static int version(Event event) {
    return event.stored().orElseThrow().version();
  }

  private static long window(Event event, Version version) {
    return Math.floorDiv(SlotFacts.at(event), version.windowMicros());
  }

  /** Where nothing is given back and nothing changes, windows only fill. */
  void earliest(SlotConfig config, String name) {
    Version version = new Version(config.maxPerWindow(), config.windowMicros());
    Map<Long, List<Event>> windows = new HashMap<>();
    List<Event> placed = facts.placed(name);
    for (Event event : placed) {
      windows.computeIfAbsent(window(event, version), any -> new ArrayList<>()).add(event);
    }
    for (Event event : placed) {
      if (!event.asks.isEmpty() && !event.isForgotten()) {
        findings.looked(Promise.S4, 1);
        earliest(event, version, windows);
      }
    }
  }

  private void earliest(Event event, Version version, Map<Long, List<Event>> windows) {
    long requested = Json.read(event.asks.getFirst().request()).micros("requestedTime");
    // In the window that it asks for, only some of the places may be used.
    long first = Math.ceilDiv(requested, version.windowMicros());
    for (long window = first; window < window(event, version); window++) {
      List<Event> inside = windows.getOrDefault(window, List.of());
      long before =
          event.firstGiven().map(Given::exchange).map(Exchange::endNanos).orElse(Long.MAX_VALUE);
      List<Event> late = inside.stream().filter(other -> other.beginNanos() - before > 0).toList();
      if (inside.size() - late.size() < version.maxPerWindow()) {
        List<Exchange> witness = new ArrayList<>(List.of(event.witness()));
        late.stream().limit(1).map(Event::witness).forEach(witness::add);
        findings.broken(
            Promise.S4,
            "%s was given %s, while the window of %s held only %d of %d events"
                .formatted(
                    event.id,
                    instant(SlotFacts.at(event)),
                    instant(window * version.windowMicros()),
                    inside.size() - late.size(),
                    version.maxPerWindow()),
            witness);
        return;
      }
    }
  }

  /** Where nothing is near enough, all windows in reach are full. */
  void refused(SlotConfig config, String name) {
    List<Event> placed = facts.placed(name);
    for (Event event : facts.events()) {
      if (!event.asks.isEmpty() && event.config().equals(name)) {
        event.asks.stream()
            .filter(ask -> ask.status() == UNAVAILABLE && ask.outcome() == Outcome.REFUSED)
            .filter(ask -> !facts.mayBeForgotten(ask))
            .forEach(ask -> refused(config, placed, ask));
      }
    }
  }

  private void refused(SlotConfig config, List<Event> placed, Exchange ask) {
    findings.looked(Promise.S4, 1);
    long size = config.windowMicros();
    long requested = Json.read(ask.request()).micros("requestedTime");
    for (long window = Math.ceilDiv(requested, size);
        (window + 1) * size <= requested + SlotConfig.MAX_DELAY_MICROS;
        window++) {
      long start = window * size;
      long taken =
          placed.stream()
              .filter(event -> Math.floorDiv(SlotFacts.at(event), size) == start / size)
              .filter(event -> event.asks.isEmpty() || event.beginNanos() - ask.endNanos() < 0)
              .count();
      if (taken < config.maxPerWindow()) {
        findings.broken(
            Promise.S4,
            "%s was refused, while the window of %s held only %d of %d events"
                .formatted(ask.subject(), instant(start), taken, config.maxPerWindow()),
            List.of(ask));
        return;
      }
    }
  }

  /**
   * Any interval of length L holds at most L × max / size + log2(max) / 3 + 1 events. For the event
   * with the index j the worst interval begins at the earlier event i with the least i - rate × t.
   */
  void spread(SlotConfig config, String name) {
    List<Event> placed = facts.placed(name);
    double rate = (double) config.maxPerWindow() / config.windowMicros();
    double bound = Math.log(config.maxPerWindow()) / Math.log(2) / 3 + 1;
    double worst = Double.MAX_VALUE;
    int from = 0;
    for (int j = 0; j < placed.size(); j++) {
      long micros = SlotFacts.at(placed.get(j)) - SlotFacts.at(placed.getFirst());
      double here = j - rate * micros;
      if (here < worst) {
        worst = here;
        from = j;
      }
      findings.looked(Promise.S5, 1);
      if (here - worst + 1 > bound + 1e-6) {
        findings.broken(
            Promise.S5,
            "%d events of %s lie within %d microseconds"
                .formatted(
                    j - from + 1,
                    name,
                    SlotFacts.at(placed.get(j)) - SlotFacts.at(placed.get(from))),
            placed.subList(from, j + 1).stream().map(Event::witness).toList());
        return;
      }
    }
  }

  /** Two events are never closer than size / (2 × max). */
  void distances(SlotConfig config, String name) {
    List<Event> placed = facts.placed(name);
    for (int i = 1; i < placed.size(); i++) {
      findings.looked(Promise.S5, 1);
      long micros = SlotFacts.at(placed.get(i)) - SlotFacts.at(placed.get(i - 1));
      // Times are rounded down to microseconds.
      if (micros + 1 < config.windowMicros() / (2L * config.maxPerWindow())) {
        findings.broken(
            Promise.S5,
            "two events of %s are %d microseconds apart".formatted(name, micros),
            List.of(placed.get(i - 1).witness(), placed.get(i).witness()));
      }
    }
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
