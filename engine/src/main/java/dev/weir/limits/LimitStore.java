package dev.weir.limits;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A store of the counts of limits. It applies the transitions of limits to keys, each request as
 * one atomic step, by its own clock.
 *
 * <p>A store that may lose its counts detects a loss itself. It then treats all units as used for
 * policies that are older than the loss and {@link OnStoreFailure#CLOSED} or {@code FALLBACK}.
 *
 * <p>Implementations are thread-safe; callers block and are meant to be virtual threads. A store
 * that is unavailable, late or overloaded throws {@link dev.weir.StoreException}, which says
 * whether anything may have been taken.
 */
public interface LimitStore extends AutoCloseable {
  /**
   * Takes the requested units if all of them are available. A granted request with a request id is
   * remembered: until its time to live has passed, the same request gets the same result, and a
   * different request with that id gets {@link AcquireResult.Repetition.Reused}.
   */
  AcquireResult decide(AcquireRequest request);

  /** Returns the result that {@link #decide} would return, ignoring request ids. Takes nothing. */
  AcquireResult peek(AcquireRequest request);

  /**
   * Returns the result that {@link #decide} would return for a known request id; empty if the id is
   * unknown. Takes and remembers nothing.
   *
   * @throws dev.weir.StoreException if the store is unavailable, so that the id may be known
   */
  Optional<AcquireResult> recall(AcquireRequest request);

  /**
   * Gives back what a request was granted. A request with a request id is refunded once, however
   * often this is called, and is new afterwards; the amount and time are those of its grant.
   *
   * @param grantedAt the {@link AcquireResult#decidedAt} of the grant, for a request without a
   *     request id
   */
  Refund refund(AcquireRequest request, Instant grantedAt);

  /**
   * Gives back to the store that granted the request; units that were not counted are not given
   * back.
   */
  default Refund refund(AcquireRequest request, AcquireResult granted) {
    return granted.mode() == AcquireResult.Mode.STORE
        ? refund(request, granted.decidedAt())
        : Refund.UNKNOWN;
  }

  /** Returns the usage as it was last written. */
  Usage usage(Policy policy, String key);

  /** Deletes the usage of a key. */
  void forget(Policy policy, String key);

  /**
   * Settles the usages of all keys of a policy whose window or rate has changed: what was used or
   * refilled until now counts by the former numbers, from now on by those of {@code policy}, and
   * what was used is kept for as long as they say. Without it, a key is settled by the first
   * request that finds it, or is lost when it expires by the former numbers. Call it once the
   * callers use the new policy. May be repeated.
   */
  void settle(Policy policy);

  /** Settles the usage of one key, see {@link #settle(Policy)}. */
  void settle(Policy policy, String key);

  /**
   * Takes units for a single key and returns true if they were granted: the short form of {@link
   * #decide(AcquireRequest)}.
   */
  default boolean take(Policy policy, String key, long cost) {
    return decide(policy, key, cost).isAllowed();
  }

  /** Takes units for a single key: the short form of {@link #decide(AcquireRequest)}. */
  default Decision decide(Policy policy, String key, long cost) {
    return decide(AcquireRequest.of(new LimitRequest(policy, key, cost))).decision();
  }

  /**
   * Throws if the store could not decide this request now. Counts nothing. A store that may respond
   * to reads while it rejects writes has to write something.
   */
  default void probe(AcquireRequest request) {
    peek(request);
  }

  /**
   * Returns the kinds of limit that the store counts. A request for another kind is rejected with
   * an {@link IllegalArgumentException}.
   */
  default Set<Class<? extends Limit>> kinds() {
    return Set.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);
  }

  /** Returns true if results may have a mode other than {@link AcquireResult.Mode#STORE}. */
  default boolean hasOtherModes() {
    return false;
  }

  @Override
  void close();
}
