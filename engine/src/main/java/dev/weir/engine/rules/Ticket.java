package dev.weir.engine.rules;

import dev.weir.core.limits.Lease;
import java.util.Optional;

/**
 * What somebody holds who may pass: leases, places in queues. Closing it gives back what is still
 * held; closing it before the wait was over gives back everything that was taken. Twice is
 * harmless. Thread-safe.
 *
 * <p>With a store elsewhere, closing waits for that store.
 */
public interface Ticket extends AutoCloseable {
  /** Holds nothing. */
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
        public Optional<Said> handOver() {
          return Optional.empty();
        }

        @Override
        public void close() {}
      };

  /** Whether closing it does nothing. */
  boolean isEmpty();

  /** The lease by which it holds its places: of several, that which ends first. */
  Optional<Lease> lease();

  /** The wait is over, and the request goes on. */
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
  Optional<Said> handOver();

  @Override
  void close();
}
