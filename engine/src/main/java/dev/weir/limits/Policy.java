package dev.weir.limits;

import static java.util.Objects.requireNonNull;

import dev.weir.internal.LimitNames;
import dev.weir.internal.Micros;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

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
 *     treated as if all units had been taken at this time; empty if it was not changed
 * @param version orders the changes of the policy: a later one has a higher number, from 1; {@link
 *     #UNORDERED} if changes are not ordered. A node that does not know the latest version must not
 *     settle what that one has counted, see {@link #on}
 */
public record Policy(
    String name,
    Limit limit,
    OnStoreFailure onStoreFailure,
    Optional<Instant> createdAt,
    Optional<Instant> changedAt,
    int version) {
  /** The version of a policy whose changes are not ordered: each is taken for the latest. */
  public static final int UNORDERED = 0;

  public Policy {
    LimitNames.require("policy", requireNonNull(name, "name"));
    requireNonNull(limit, "limit");
    requireNonNull(onStoreFailure, "onStoreFailure");
    requireNonNull(createdAt, "createdAt");
    requireNonNull(changedAt, "changedAt");
    if (version < UNORDERED) {
      throw new IllegalArgumentException("version must be at least 0, not " + version);
    }
  }

  /** A policy whose limit was not changed since it came into force. */
  public Policy(String name, Limit limit, OnStoreFailure onStoreFailure, Instant createdAt) {
    this(
        name,
        limit,
        onStoreFailure,
        Optional.of(requireNonNull(createdAt, "createdAt")),
        Optional.empty(),
        UNORDERED);
  }

  /** Returns a policy that may have been in force for any time. */
  public static Policy of(String name, Limit limit) {
    return new Policy(
        name, limit, OnStoreFailure.CLOSED, Optional.empty(), Optional.empty(), UNORDERED);
  }

  public Policy onStoreFailure(OnStoreFailure other) {
    return new Policy(name, limit, other, createdAt, changedAt, version);
  }

  public Policy createdAt(Instant other) {
    return new Policy(
        name,
        limit,
        onStoreFailure,
        Optional.of(requireNonNull(other, "createdAt")),
        changedAt,
        version);
  }

  public Policy changedAt(Instant other) {
    return new Policy(
        name,
        limit,
        onStoreFailure,
        createdAt,
        Optional.of(requireNonNull(other, "changedAt")),
        version);
  }

  public Policy version(int other) {
    return new Policy(name, limit, onStoreFailure, createdAt, changedAt, other);
  }

  /** Returns this policy with a limit of the same kind. */
  Policy limit(Limit other) {
    return new Policy(name, other, onStoreFailure, createdAt, changedAt, version);
  }

  /**
   * Returns this policy after its limit was changed. What a store has lost and the former limit has
   * restored by then matters no more. Otherwise it counts as taken at the change. With another kind
   * of limit, counting starts afresh.
   */
  public Policy changed(Limit next, Instant at) {
    if (next.getClass() != limit.getClass()) {
      return new Policy(name, next, onStoreFailure, at).version(version);
    }
    if (next.decaysLike(limit) && (next.equals(limit) || !(next instanceof TokenBucket))) {
      return limit(next);
    }
    Instant restored = at.minus(Micros.duration(restoreMicros(limit)));
    boolean isRestored =
        Stream.of(createdAt, changedAt)
            .flatMap(Optional::stream)
            .noneMatch(inForceSince -> restored.isBefore(inForceSince));
    return new Policy(
        name,
        next,
        onStoreFailure,
        isRestored ? Optional.of(restored) : createdAt,
        Optional.of(at),
        version);
  }

  /** Returns when the policy came into force, in microseconds; the earliest time if unknown. */
  public long createdAtMicros() {
    return createdAt.isEmpty() ? Micros.EARLIEST : Micros.clamped(createdAt.get());
  }

  /** Returns when the limit was changed, in microseconds; the earliest time if it was not. */
  public long changedAtMicros() {
    return changedAt.isEmpty() ? Micros.EARLIEST : Micros.clamped(changedAt.get());
  }

  /** Returns the time at which units that were lost at a time count as taken. */
  public long takenAtMicros(long lostMicros) {
    return Math.max(lostMicros, changedAtMicros());
  }

  /** Returns the time after which all units are restored. */
  private static long restoreMicros(Limit limit) {
    Usage all = limit.take(limit.settle(Usage.NONE, 0), limit.maxCost(), 0);
    return limit.idleMicros(all, 0);
  }

  /**
   * Returns the policy by which to decide on a usage: this one, or if a later version has counted
   * the usage, this number of units with the window or rate of that version. So a node that has not
   * heard of a change decides by its own limit, but does not undo the change for the others.
   *
   * <p>A usage from before this policy was created belongs to a former policy of the same name,
   * whose versions are not comparable.
   *
   * @param countedBy the version that has counted the usage
   */
  public Policy on(Usage usage, int countedBy) {
    return UNORDERED < version && version < countedBy && usage.atMicros() >= createdAtMicros()
        ? limit(limit.countedLike(usage)).version(countedBy)
        : this;
  }

  /**
   * Returns the usage after units that were taken at an earlier time are given back. If a later
   * version has counted the usage, either rate may have refilled a bucket since: neither refill is
   * given back once more.
   *
   * @param counting the policy by which to decide on the usage, see {@link #on}
   */
  public Usage refund(Policy counting, Usage usage, long cost, long takenAtMicros, long nowMicros) {
    Limit counts = counting.limit;
    long sinceMicros = Math.max(nowMicros, usage.atMicros()) - takenAtMicros;
    long back = counts.decaysLike(limit) ? cost : limit.unrestored(cost, sinceMicros);
    return back == 0
        ? counts.settle(usage, nowMicros)
        : counts.refund(usage, back, takenAtMicros, nowMicros);
  }
}
