package dev.weir.engine.limits;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.time.Instant;
import java.util.Optional;

/**
 * The port to whoever keeps the counts of limits. It applies the transitions of core to keys, each
 * demand as one atomic step, by its own clock.
 *
 * <p>A store that may lose its counts notices that itself. Of policies that are {@link
 * OnStoreFailure#CLOSED} or {@code FALLBACK} and older than the loss, it then takes all as used.
 *
 * <p>Thread-safe; callers block and are meant to be virtual threads. A store that is gone, late or
 * overloaded throws {@link dev.weir.engine.StoreException}, which says whether anything may have
 * been taken.
 *
 * @param <L> the kinds of limit that it can keep
 */
public interface LimitStore<L extends Limit> extends AutoCloseable {
  /**
   * Takes what is asked if all of it is there. A grant with a request id is remembered: the same
   * demand is answered as before until its time is over, another demand with that id is answered
   * {@link Answer.Repetition.Reused}.
   */
  Answer decide(Demand<? extends L> demand);

  /** What {@link #decide} would say. Takes nothing, and knows no request ids. */
  Answer peek(Demand<? extends L> demand);

  /**
   * What {@link #decide} would say to a demand because its request id is known; empty if it is not.
   * Takes and remembers nothing.
   */
  Optional<Answer> recall(Demand<? extends L> demand);

  /**
   * Gives back what a demand was granted. A demand with a request id is given back once, however
   * often this is asked, and is new afterwards; what is given back is what its grant took, and when
   * that was.
   *
   * @param grantedAt the {@link Answer#decidedAt} of the grant, for a demand without a request id
   */
  Refund refund(Demand<? extends L> demand, Instant grantedAt);

  /** Gives back to whoever granted; what nobody counted is not given back. */
  default Refund refund(Demand<? extends L> demand, Answer granted) {
    return granted.mode() == Answer.Mode.STORE
        ? refund(demand, granted.decidedAt())
        : Refund.UNKNOWN;
  }

  /** What is used, as it was last written. */
  Usage usage(Policy<? extends L> policy, String key);

  /** Forgets what was used. */
  void forget(Policy<? extends L> policy, String key);

  /** The short form of {@link #decide}: one ask, yes or no. */
  default boolean take(Policy<? extends L> policy, String key, long cost) {
    return decide(policy, key, cost).isAllowed();
  }

  /** The short form of {@link #decide}: one ask. */
  default Decision decide(Policy<? extends L> policy, String key, long cost) {
    return decide(Demand.of(new Ask<>(policy, key, cost))).decisions().getFirst();
  }

  /**
   * Throws if the store could not decide this demand now. Counts nothing. A store that may answer
   * and yet refuse to write has to write something.
   */
  default void probe(Demand<? extends L> demand) {
    peek(demand);
  }

  /** Whether answers may have another mode than {@link Answer.Mode#STORE}. */
  default boolean mayStandIn() {
    return false;
  }

  @Override
  void close();
}
