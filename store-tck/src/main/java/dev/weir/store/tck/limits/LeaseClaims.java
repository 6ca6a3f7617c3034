package dev.weir.store.tck.limits;

import dev.weir.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

/** The base of all claims about leases: a store, and scenes on it. */
interface LeaseClaims {
  Supplier<LeaseStore> leasesBy(InstantSource clock);

  default LeaseScene leaseScene() {
    return new LeaseScene(this::leasesBy);
  }
}
