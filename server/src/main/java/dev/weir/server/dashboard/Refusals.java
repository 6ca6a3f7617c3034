package dev.weir.server.dashboard;

import dev.weir.rules.RuleCounters;
import dev.weir.server.metrics.DecisionCounts;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.RefusedChecks;
import dev.weir.server.metrics.RuleCounts;
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

  /** Of a sample, a number is hardly ever further off than this many standard deviations. */
  private static final double DEVIATIONS = 3;

  private final LimitMetrics metrics;
  private final Deque<Slice> slices = new ArrayDeque<>();

  /** The counters at the last update, up to which keys are known. */
  private RuleCounts last;

  Refusals(LimitMetrics metrics) {
    this.metrics = metrics;
    this.last = metrics.byRule();
  }

  /** A key that a rule refused. */
  record RefusedKey(String rule, String key) {
    static final Comparator<RefusedKey> ORDER =
        Comparator.comparing(RefusedKey::rule).thenComparing(RefusedKey::key);
  }

  /** The refusals of one minute. */
  private static final class Slice {
    private final long minute;
    private final RuleCounts before;
    private final HeavyHitters<RefusedKey> keys = new HeavyHitters<>(KEYS_PER_MINUTE);
    private final HeavyHitters<RefusedKey> shadowKeys = new HeavyHitters<>(KEYS_PER_MINUTE);
    private double variance;

    Slice(long minute, RuleCounts before) {
      this.minute = minute;
      this.before = before;
    }
  }

  /**
   * The refusals of the last minutes.
   *
   * @param sampleError by how much a number of a key may be too large or too small, because keys
   *     were counted from a sample; 0 if all were counted
   */
  record Report(
      Instant from,
      RuleCounts rules,
      HeavyHitters<RefusedKey> keys,
      HeavyHitters<RefusedKey> shadowKeys,
      long sampleError) {}

  /** Adds the checks that were refused since the last call. */
  synchronized void update(long second) {
    Slice slice = slice(Math.floorDiv(second, SECONDS_OF_A_MINUTE));
    last = metrics.byRule();
    Map<RefusedKey, Double> keys = new HashMap<>();
    Map<RefusedKey, Double> shadowKeys = new HashMap<>();
    RefusedChecks.Drained drained =
        metrics
            .refusedChecks()
            .drain(
                (check, weight) ->
                    (check.rule().isShadow() ? shadowKeys : keys)
                        .merge(
                            new RefusedKey(check.rule().name(), check.key()), weight, Double::sum));
    slice.variance += drained.variance();
    slice.keys.add(rounded(keys));
    slice.shadowKeys.add(rounded(shadowKeys));
  }

  private static Map<RefusedKey, Long> rounded(Map<RefusedKey, Double> counts) {
    Map<RefusedKey, Long> rounded = new HashMap<>();
    counts.forEach((key, count) -> rounded.put(key, Math.round(count)));
    return rounded;
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
    // What was counted since the last update belongs to this minute, as its keys do.
    Slice added = new Slice(minute, last);
    slices.addLast(added);
    return added;
  }

  synchronized Report report() {
    HeavyHitters<RefusedKey> keys = new HeavyHitters<>(KEYS_PER_MINUTE);
    HeavyHitters<RefusedKey> shadowKeys = new HeavyHitters<>(KEYS_PER_MINUTE);
    double variance = 0;
    for (Slice slice : slices) {
      keys.add(slice.keys);
      shadowKeys.add(slice.shadowKeys);
      variance += slice.variance;
    }
    Slice oldest = slices.peekFirst();
    return new Report(
        Instant.ofEpochSecond(oldest == null ? 0 : oldest.minute * SECONDS_OF_A_MINUTE),
        metrics.byRule().since(oldest == null ? RuleCounts.NONE : oldest.before),
        keys,
        shadowKeys,
        (long) Math.ceil(DEVIATIONS * Math.sqrt(variance)));
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
