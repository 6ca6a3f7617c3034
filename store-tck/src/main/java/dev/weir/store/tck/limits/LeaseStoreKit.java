package dev.weir.store.tck.limits;

import dev.weir.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The compatibility kit of lease stores: a test class that implements it proves that its store
 * grants, keeps and ends leases and places in queues exactly as the pure functions of core do,
 * under any concurrency.
 *
 * <p>Each claim creates its own resources, so one store may serve all of them.
 */
public interface LeaseStoreKit
    extends LeaseHolderClaims, LeaseQueueClaims, LeaseCrowdClaims, LeaseTraceClaims {
  /**
   * Returns a store that uses only this clock: leases that have ended by another clock are not
   * forgotten. Each {@code get} opens a further node on it, which may be the same. The kit closes
   * none.
   */
  @Override
  Supplier<LeaseStore> leasesBy(InstantSource clock);
}
