package dev.weir.rules;

import dev.weir.limits.Lease;
import java.util.Optional;

/**
 * The resources of an admitted request: leases and places in queues. Closing it releases what is
 * still held; closing it before the wait is over gives back everything that was taken. May be
 * closed repeatedly. Thread-safe.
 *
 * <p>With a remote store, closing waits for that store.
 */
public interface Ticket extends AutoCloseable {
  /** A ticket without resources. */
  Ticket NONE =
      new Ticket() {
        @Override
        public boolean isEmpty() {
          return true;
        }

        @Override
        public Optional<Lease> lease() {
          return Optional.empty();
        }

        @Override
        public void waited() {}

        @Override
        public Optional<RuleResult> handOver() {
          return Optional.empty();
        }

        @Override
        public void close() {}
      };

  /** Returns true if closing it does nothing. */
  boolean isEmpty();

  /** Returns the lease that holds its places; of several, the one that expires first. */
  Optional<Lease> lease();

  /** Records that the wait is over and the request proceeds. */
  void waited();

  /**
   * Ends the wait and hands the leases that this node has renewed over to the caller, with their
   * full time to live. A lease that has ended is acquired again. If there is no place for it,
   * everything is given back, including what a request id took. If the lease store is unavailable,
   * everything is given back, except what a request id took: the caller may repeat the request.
   *
   * <p>With a remote lease store, this waits for that store.
   *
   * @return empty if the request proceeds, otherwise the result of the rule that has no place for
   *     it
   * @throws dev.weir.StoreException if the lease store is unavailable
   */
  Optional<RuleResult> handOver();

  @Override
  void close();
}
