package dev.weir.rules;

import dev.weir.internal.Micros;
import dev.weir.limits.LeaseHistory;
import dev.weir.limits.Queue;
import dev.weir.register.EntryVersion;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Derives from the versions of a rule until when its former leases and queue places are held. */
final class FormerLeases {
  private FormerLeases() {}

  /**
   * Returns the history of the leases of a rule. What a version granted ends at the latest when the
   * version is replaced, plus the time for which it granted. What must have ended when the time was
   * changed matters no more: a longer time does not apply to leases that were lost before.
   *
   * @param versions the newest first
   */
  static LeaseHistory history(Rule rule, List<EntryVersion<Rule>> versions) {
    ToLongFunction<RuleSpec> span = span(rule.spec());
    Instant createdAt = rule.createdAt();
    Optional<Instant> heldUntil = Optional.empty();
    Instant grantedSince = createdAt;
    for (int i = versions.size() - 1; i >= 0; i--) {
      Rule former = versions.get(i).entry();
      if (former.version() >= rule.version()) {
        continue;
      }
      Rule next = i == 0 ? rule : versions.get(i - 1).entry();
      long micros = span.applyAsLong(former.spec());
      long nextMicros = span.applyAsLong(next.spec());
      if (micros == nextMicros) {
        continue;
      }
      Duration time = Micros.duration(micros);
      Instant replacedAt = next.updatedAt();
      Instant endedAt = replacedAt.minus(time);
      if (!endedAt.isBefore(grantedSince) && heldUntil.filter(replacedAt::isBefore).isEmpty()) {
        createdAt = endedAt;
      }
      Instant ends = replacedAt.plus(time);
      if (micros > nextMicros && heldUntil.filter(held -> !held.isBefore(ends)).isEmpty()) {
        heldUntil = Optional.of(ends);
      }
      grantedSince = replacedAt;
    }
    return new LeaseHistory(Optional.of(createdAt), heldUntil);
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
