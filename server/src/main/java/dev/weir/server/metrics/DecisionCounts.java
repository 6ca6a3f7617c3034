package dev.weir.server.metrics;

import dev.weir.rules.RuleCounters;
import java.util.Arrays;

/** Numbers of decisions by their kind. Mutable and not thread-safe. */
@SuppressWarnings("EnumOrdinal") // The array lives no longer than the order of the constants.
public final class DecisionCounts {
  private final long[] counts = new long[RuleCounters.Kind.values().length];

  public long of(RuleCounters.Kind kind) {
    return counts[kind.ordinal()];
  }

  public DecisionCounts add(RuleCounters.Kind kind, long more) {
    counts[kind.ordinal()] += more;
    return this;
  }

  DecisionCounts add(DecisionCounts others) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += others.counts[i];
    }
    return this;
  }

  /**
   * Returns what was added since an earlier reading. A smaller number than before has been counted
   * anew.
   */
  public DecisionCounts since(DecisionCounts earlier) {
    DecisionCounts difference = new DecisionCounts();
    for (int i = 0; i < counts.length; i++) {
      difference.counts[i] =
          counts[i] >= earlier.counts[i] ? counts[i] - earlier.counts[i] : counts[i];
    }
    return difference;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DecisionCounts those && Arrays.equals(counts, those.counts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "DecisionCounts" + Arrays.toString(counts);
  }
}
