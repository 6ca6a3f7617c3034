package dev.weir.engine.rules;

import dev.weir.core.limits.Lease;
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
   * The wait is over, and the caller gets the leases that this node has renewed until now, with
   * their whole time to live. One that has ended is taken again. If that fails, everything is given
   * back, what a request id took included.
   *
   * <p>With leases in a store elsewhere, this waits for that store.
   *
   * @return empty if the request goes on, else what the rule says that has no place for it
   * @throws dev.weir.engine.StoreException if the store of leases is gone
   */
  Optional<RuleResult> handOver();

  @Override
  void close();
}
