package dev.weir.server.verify;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotPolicy;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Checks the number of events in each window.
 *
 * <p>Versions follow each other under the configuration's lock. So when the last event of a version
 * was assigned, all present events of that version and of earlier ones were already there, and
 * together they must keep that version's limit, in the windows of that version. Events that were
 * adopted beyond the limit, on request, count for later versions only: under their own version they
 * may have come last.
 */
final class LimitCheck implements SlotCheck {
  private final ConfigFact config;
  private final Findings findings;
  private final List<Count> counts;

  LimitCheck(ConfigFact config, Findings findings) {
    this.config = config;
    this.findings = findings;
    this.counts =
        config.versions().values().stream()
            .map(SlotPolicy::windowMicros)
            .distinct()
            .map(Count::new)
            .toList();
  }

  @Override
  public void slot(SlotFact slot) {
    if (slot.holds()) {
      counts.forEach(count -> count.add(slot));
    }
  }

  @Override
  public void end() {
    counts.forEach(Count::endWindow);
  }

  /** Counts the events of one window after the other, for one window size. */
  private final class Count {
    private final long sizeMicros;
    private final NavigableMap<Integer, Integer> byVersion = new TreeMap<>();
    private final NavigableMap<Integer, Integer> overfullByVersion = new TreeMap<>();
    private final BitSet places = new BitSet();
    private long startMicros;

    Count(long sizeMicros) {
      this.sizeMicros = sizeMicros;
    }

    void add(SlotFact slot) {
      long start = slot.scheduledMicros() - Math.floorMod(slot.scheduledMicros(), sizeMicros);
      if (start != startMicros) {
        endWindow();
        startMicros = start;
      }
      (slot.isAdoptedOverfull() ? overfullByVersion : byVersion)
          .merge(slot.version(), 1, Integer::sum);
      if (config.policy(slot.version()).windowMicros() == sizeMicros && slot.place() >= 0) {
        if (places.get(slot.place())) {
          findings.breach(
              Invariant.LIMIT,
              "%s holds place %d, which another event holds"
                  .formatted(slot.in(config), slot.place()));
        }
        places.set(slot.place());
      }
    }

    void endWindow() {
      int events = 0;
      boolean looked = false;
      for (var version : byVersion.entrySet()) {
        events += version.getValue();
        int overfull =
            overfullByVersion.headMap(version.getKey()).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        SlotPolicy policy = config.policy(version.getKey());
        if (policy.windowMicros() == sizeMicros) {
          looked = true;
          if (events + overfull > policy.maxPerWindow()) {
            findings.breach(
                Invariant.LIMIT,
                "window %s of %s held %d events when v%d, limit %d, assigned its last"
                    .formatted(
                        Micros.instant(startMicros),
                        config.name(),
                        events + overfull,
                        version.getKey(),
                        policy.maxPerWindow()));
          }
        }
      }
      if (looked) {
        findings.looked(Invariant.LIMIT, "windows", 1);
      }
      byVersion.clear();
      overfullByVersion.clear();
      places.clear();
    }
  }
}
