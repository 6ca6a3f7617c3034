package dev.weir.server.dashboard;

import dev.weir.engine.rules.RuleCounters;
import dev.weir.server.metrics.DecisionCounts;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.RefusedChecks;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What rules refused in the last 15 minutes on this node, by rule and by key. A slice of each
 * minute knows the counters at its start and the keys that were refused most. Thread-safe; its
 * memory is bounded.
 */
final class Refusals {
  /** The number of keys that are reported. */
  static final int TOP = 20;

  private static final int MINUTES = 15;
  private static final long SECONDS_OF_A_MINUTE = TimeUnit.MINUTES.toSeconds(1);
  private static final int KEYS_PER_MINUTE = 256;

  private final LimitMetrics metrics;
  private final Deque<Slice> slices = new ArrayDeque<>();

  Refusals(LimitMetrics metrics) {
    this.metrics = metrics;
  }

  /** A key that a rule refused. */
  record RefusedKey(String rule, String key) {
    static final Comparator<RefusedKey> ORDER =
        Comparator.comparing(RefusedKey::rule).thenComparing(RefusedKey::key);
  }

  /** The refusals of one minute. */
  private static final class Slice {
    private final long minute;
    private final Map<String, DecisionCounts> before;
    private final HeavyHitters<RefusedKey> keys = new HeavyHitters<>(KEYS_PER_MINUTE);
    private final HeavyHitters<RefusedKey> shadowKeys = new HeavyHitters<>(KEYS_PER_MINUTE);
    private boolean isSampled;

    Slice(long minute, Map<String, DecisionCounts> before) {
      this.minute = minute;
      this.before = before;
    }
  }

  /**
   * The refusals of the last minutes.
   *
   * @param isSampled true if some keys were counted from a sample
   */
  record Report(
      Instant from,
      Map<String, DecisionCounts> rules,
      HeavyHitters<RefusedKey> keys,
      HeavyHitters<RefusedKey> shadowKeys,
      boolean isSampled) {}

  /**
   * Adds the checks that were refused since the last call.
   *
   * @param refused the number of checks that were refused; only a sample of them may be known
   */
  synchronized void update(long second, long refused) {
    Slice slice = slice(Math.floorDiv(second, SECONDS_OF_A_MINUTE));
    Map<RefusedKey, Long> keys = new HashMap<>();
    Map<RefusedKey, Long> shadowKeys = new HashMap<>();
    RefusedChecks.Drained drained =
        metrics
            .refusedChecks()
            .drain(
                check ->
                    (check.rule().isShadow() ? shadowKeys : keys)
                        .merge(new RefusedKey(check.rule().name(), check.key()), 1L, Long::sum));
    if (drained.isFull() && refused > drained.checks()) {
      slice.isSampled = true;
      scale(keys, refused, drained.checks());
      scale(shadowKeys, refused, drained.checks());
    }
    slice.keys.add(keys);
    slice.shadowKeys.add(shadowKeys);
  }

  private static void scale(Map<RefusedKey, Long> counts, long all, long known) {
    counts.replaceAll((key, count) -> Math.round((double) count * all / known));
  }

  private Slice slice(long minute) {
    Slice newest = slices.peekLast();
    if (newest != null && newest.minute == minute) {
      return newest;
    }
    if (newest != null && newest.minute > minute) {
      // The clock was set back.
      slices.clear();
    }
    slices.removeIf(slice -> slice.minute <= minute - MINUTES);
    Slice added = new Slice(minute, metrics.byRule());
    slices.addLast(added);
    return added;
  }

  synchronized Report report() {
    HeavyHitters<RefusedKey> keys = new HeavyHitters<>(KEYS_PER_MINUTE);
    HeavyHitters<RefusedKey> shadowKeys = new HeavyHitters<>(KEYS_PER_MINUTE);
    boolean isSampled = false;
    for (Slice slice : slices) {
      keys.add(slice.keys);
      shadowKeys.add(slice.shadowKeys);
      isSampled |= slice.isSampled;
    }
    Map<String, DecisionCounts> rules = metrics.byRule();
    Slice oldest = slices.peekFirst();
    if (oldest != null) {
      rules.replaceAll(
          (rule, now) -> now.since(oldest.before.getOrDefault(rule, new DecisionCounts())));
    }
    return new Report(
        Instant.ofEpochSecond(oldest == null ? 0 : oldest.minute * SECONDS_OF_A_MINUTE),
        rules,
        keys,
        shadowKeys,
        isSampled);
  }

  /** Returns the names of rules, those that refused most first. */
  static List<String> mostRefused(Map<String, DecisionCounts> rules) {
    return rules.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<String, DecisionCounts>>comparingLong(
                    rule -> refused(rule.getValue()))
                .reversed()
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static long refused(DecisionCounts counts) {
    return counts.of(RuleCounters.Kind.REFUSED) + counts.of(RuleCounters.Kind.SHADOW_REFUSED);
  }
}
