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
        public void close() {}
      };

  /** Whether closing it does nothing. */
  boolean isEmpty();

  /** The lease by which it holds its places: of several, that which ends first. */
  Optional<Lease> lease();

  /** The wait is over, and the request goes on. */
  void waited();

  @Override
  void close();
}
