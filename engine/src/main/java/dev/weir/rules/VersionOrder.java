package dev.weir.rules;

import dev.weir.internal.Micros;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Orders the versions of rules of a name, also across histories of the database: after a backup was
 * restored, a new version has the number of one that was lost, and keys may have been counted by
 * that.
 *
 * <p>The order of a version is the sum of its number and of the second of its creation. Within a
 * history neither ever decreases, and the number increases. A version that is made after lost ones
 * is ahead of them, unless more versions were lost than seconds have passed since.
 */
final class VersionOrder {
  /** So that the sum fits for decades. */
  private static final long EPOCH_MICROS = Micros.ceil(Instant.parse("2020-01-01T00:00:00Z"));

  private VersionOrder() {}

  static int of(Rule rule) {
    long micros = Math.max(0, Micros.clamped(rule.updatedAt()) - EPOCH_MICROS);
    return (int) Math.min(micros / Micros.PER_SECOND + rule.version(), Integer.MAX_VALUE);
  }

  /**
   * Returns the order of a rule that this node has read.
   *
   * @param before the rule with this name that it read before, if there was one: if that had a
   *     later version, it was lost, and the version now in force is the latest again
   */
  static int of(Rule rule, @Nullable LimitedRule before) {
    if (before == null) {
      return of(rule);
    }
    return before.rule().equals(rule)
        ? before.order()
        : (int) Math.max(of(rule), Math.min(before.order() + 1L, Integer.MAX_VALUE));
  }
}
