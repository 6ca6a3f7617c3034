package dev.weir.server.verify;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the density of evenly spread events: for the events of each version separately, and for
 * those of all versions with windows of one size together. The latter share the same places, so the
 * bound is the highest limit among them. Across a change of size there is no bound, nor for events
 * that were adopted with their times.
 *
 * <p>One leaky bucket checks the bound for all intervals: with the i-th event at time t(i), the
 * events from i to j keep it if {@code f(j) - f(i) <= log2(max) / 3}, where {@code f(i) = i - t(i)
 * × max / size}. The bucket's level is f(j) minus the lowest f so far, so no interval is missed.
 */
final class SpreadCheck implements SlotCheck {
  private final ConfigFact config;
  private final Findings findings;
  private final Map<Integer, Bucket> byVersion = new HashMap<>();
  private final Map<Long, Bucket> bySize = new HashMap<>();

  /** By size, the policy with the highest limit, if several versions have windows of that size. */
  private final Map<Long, SlotPolicy> shared = new HashMap<>();

  SpreadCheck(ConfigFact config, Findings findings) {
    this.config = config;
    this.findings = findings;
    Map<Long, List<SlotPolicy>> even =
        config.versions().values().stream()
            .filter(policy -> policy.spread() == Spread.EVEN)
            .collect(Collectors.groupingBy(SlotPolicy::windowMicros));
    even.forEach(
        (size, versions) -> {
          if (versions.size() > 1) {
            shared.put(
                size, Collections.max(versions, Comparator.comparingInt(SlotPolicy::maxPerWindow)));
          }
        });
  }

  @Override
  public void slot(SlotFact slot) {
    SlotPolicy policy = config.policy(slot.version());
    if (slot.holds() && !slot.isAdopted() && policy.spread() == Spread.EVEN) {
      byVersion.computeIfAbsent(slot.version(), version -> new Bucket(policy)).add(slot);
      SlotPolicy highest = shared.get(policy.windowMicros());
      if (highest != null) {
        bySize.computeIfAbsent(policy.windowMicros(), size -> new Bucket(highest)).add(slot);
      }
    }
  }

  @Override
  public void end() {
    byVersion
        .values()
        .forEach(bucket -> findings.looked(Invariant.SPREAD, "events", bucket.events));
  }

  /** A bucket in units of size: an event adds {@code size}, a microsecond removes {@code max}. */
  private final class Bucket {
    private final SlotPolicy policy;
    private final double fullMicros;
    private @Nullable SlotFact last;
    private long levelMicros;
    private long events;

    Bucket(SlotPolicy policy) {
      this.policy = policy;
      double extra = Math.log(policy.maxPerWindow()) / Math.log(2) / 3;
      // Places are truncated to whole microseconds, which moves two of them by less than one.
      this.fullMicros = extra * policy.windowMicros() + policy.maxPerWindow() + 1e-6;
    }

    void add(SlotFact slot) {
      events++;
      if (last != null) {
        add(slot, last);
      }
      last = slot;
    }

    private void add(SlotFact slot, SlotFact before) {
      long apartMicros = slot.scheduledMicros() - before.scheduledMicros();
      long max = policy.maxPerWindow();
      long size = policy.windowMicros();
      if (2 * max * (Math.min(apartMicros, size) + 1) < size) {
        findings.breach(
            Invariant.SPREAD,
            "%s is only %d µs after event \"%s\""
                .formatted(slot.in(config), apartMicros, before.eventId()));
      }
      // The level is far below 8 windows, so a longer gap empties the bucket all the same.
      levelMicros = Math.max(0, levelMicros + size - max * Math.min(apartMicros, 8 * size));
      if (levelMicros > fullMicros) {
        findings.breach(
            Invariant.SPREAD,
            "%s ends an interval with %.2f events more than its share, %.2f may be"
                .formatted(
                    slot.in(config),
                    1 + (double) levelMicros / (double) size,
                    1 + fullMicros / (double) size));
      }
    }
  }
}
