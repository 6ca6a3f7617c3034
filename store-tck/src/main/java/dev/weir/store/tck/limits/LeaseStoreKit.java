package dev.weir.store.tck.limits;

import dev.weir.engine.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * The compatibility kit of lease stores: a test class that implements it proves that its store
 * gives, keeps and ends leases and places in queues exactly as the pure functions of core do,
 * whoever asks at the same time.
 *
 * <p>Resources are made up anew for each claim, so one store may serve all of them.
 */
public interface LeaseStoreKit
    extends LeaseHoldingClaims, LeaseQueueClaims, LeaseCrowdClaims, LeaseTraceClaims {
  /**
   * A store that goes by this clock alone: what has ended by another clock is not forgotten. Each
   * {@code get} opens a further node on it, which may be the same. The kit closes none.
   */
  @Override
  Supplier<LeaseStore> leasesBy(InstantSource clock);
}
