package dev.weir.store.tck.limits;

import dev.weir.engine.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

/** What all claims about leases stand on: a store, and scenes on it. */
interface LeaseClaims {
  Supplier<LeaseStore> leasesBy(InstantSource clock);

  default LeaseScene leaseScene() {
    return LeaseScene.of(this::leasesBy);
  }
}
