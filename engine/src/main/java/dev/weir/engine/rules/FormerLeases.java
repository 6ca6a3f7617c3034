package dev.weir.engine.rules;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.Queue;
import dev.weir.engine.limits.LeaseHistory;
import dev.weir.engine.register.EntryVersion;
import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;

/** Derives from the versions of a rule until when its former leases and queue places are held. */
final class FormerLeases {
  private FormerLeases() {}

  /** Returns true if the rule grants leases or queue places and has had other versions. */
  static boolean mayExist(Rule rule) {
    return rule.version() > 1 && span(rule.spec()).applyAsLong(rule.spec()) > 0;
  }

  /**
   * Returns the history of the leases of a rule. What a version granted ends at the latest when the
   * version is replaced, plus the time for which it granted.
   *
   * @param versions the newest first
   */
  static LeaseHistory history(Rule rule, List<EntryVersion<Rule>> versions) {
    ToLongFunction<RuleSpec> span = span(rule.spec());
    long presentMicros = span.applyAsLong(rule.spec());
    Instant heldUntil = Instant.MIN;
    Instant replacedAt = rule.updatedAt();
    for (EntryVersion<Rule> version : versions) {
      Rule former = version.entry();
      if (former.version() >= rule.version()) {
        continue;
      }
      long micros = span.applyAsLong(former.spec());
      Instant ended = replacedAt.plus(Micros.duration(micros));
      if (micros > presentMicros && ended.isAfter(heldUntil)) {
        heldUntil = ended;
      }
      replacedAt = former.updatedAt();
    }
    return new LeaseHistory(rule.createdAt(), heldUntil);
  }

  /** Returns how to read the max time for which a rule like this one grants; 0 if it does not. */
  private static ToLongFunction<RuleSpec> span(RuleSpec spec) {
    return switch (spec.quota()) {
      case Quota.Rate rate -> FormerLeases::queueMicros;
      case Quota.Concurrent concurrent -> FormerLeases::leaseMicros;
    };
  }

  private static long leaseMicros(RuleSpec spec) {
    return switch (spec.quota()) {
      case Quota.Rate rate -> 0;
      case Quota.Concurrent concurrent -> concurrent.concurrency().ttlMicros();
    };
  }

  private static long queueMicros(RuleSpec spec) {
    return switch (spec.quota()) {
      case Quota.Rate rate -> rate.queueSettings().queue().map(FormerLeases::spanMicros).orElse(0L);
      case Quota.Concurrent concurrent -> 0;
    };
  }

  private static long spanMicros(Queue queue) {
    return queue.maxSize() * queue.delayMicros();
  }
}
