package dev.weir.engine.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.core.internal.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.TokenBucket;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.internal.LimitNames;
import java.time.Instant;

/**
 * A named limit that applies to each key separately.
 *
 * <p>A store counts by name, kind of limit and key together: a policy whose numbers change keeps
 * its usage, a policy that becomes another kind of limit starts afresh.
 *
 * @param onStoreFailure what to do while the store that keeps the counts is unavailable
 * @param createdAt a store that lost its counts before this time has lost nothing of this policy
 *     that still counts: the policy came into force then, or what it had counted before was
 *     restored
 * @param changedAt the time of the last change of the limit: counts that a store lost before it are
 *     treated as if all units had been taken at this time; {@link Instant#MIN} if it was not
 *     changed
 */
public record Policy(
    String name, Limit limit, OnStoreFailure onStoreFailure, Instant createdAt, Instant changedAt) {
  public Policy {
    LimitNames.require("policy", requireNonNull(name, "name"));
    requireNonNull(limit, "limit");
    requireNonNull(onStoreFailure, "onStoreFailure");
    requireNonNull(createdAt, "createdAt");
    requireNonNull(changedAt, "changedAt");
  }

  /** A policy whose limit was not changed since it came into force. */
  public Policy(String name, Limit limit, OnStoreFailure onStoreFailure, Instant createdAt) {
    this(name, limit, onStoreFailure, createdAt, Instant.MIN);
  }

  /** Returns a policy that may have been in force for any time. */
  public static Policy of(String name, Limit limit) {
    return new Policy(name, limit, OnStoreFailure.CLOSED, Instant.MIN);
  }

  public Policy onStoreFailure(OnStoreFailure other) {
    return new Policy(name, limit, other, createdAt, changedAt);
  }

  public Policy createdAt(Instant other) {
    return new Policy(name, limit, onStoreFailure, other, changedAt);
  }

  public Policy changedAt(Instant other) {
    return new Policy(name, limit, onStoreFailure, createdAt, other);
  }

  /**
   * Returns this policy after its limit was changed. What a store has lost and the former limit has
   * restored by then matters no more. Otherwise it counts as taken at the change. With another kind
   * of limit, counting starts afresh.
   */
  public Policy changed(Limit next, Instant at) {
    if (next.getClass() != limit.getClass()) {
      return new Policy(name, next, onStoreFailure, at);
    }
    if (next.decaysLike(limit) && (next.equals(limit) || !(next instanceof TokenBucket))) {
      return new Policy(name, next, onStoreFailure, createdAt, changedAt);
    }
    Instant inForceSince = later(createdAt, changedAt);
    Instant restored = at.minus(Micros.duration(restoreMicros(limit)));
    return new Policy(
        name, next, onStoreFailure, restored.isBefore(inForceSince) ? createdAt : restored, at);
  }

  /** Returns the time at which units that were lost at a time count as taken. */
  public long takenAtMicros(long lostMicros) {
    return Math.max(lostMicros, Micros.clamped(changedAt));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** Returns the time after which all units are restored. */
  private static long restoreMicros(Limit limit) {
    Usage all = limit.take(limit.settle(Usage.NONE, 0), limit.maxCost(), 0);
    return limit.idleMicros(all, 0);
  }
}
