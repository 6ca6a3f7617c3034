package dev.weir.store.tck.limits;

import dev.weir.limits.LeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

/** The kit accepts a correct store. */
final class ReferenceLeaseStoreTest implements LeaseStoreKit {
  @Override
  public Supplier<LeaseStore> leasesBy(InstantSource clock) {
    LeaseStore store = new ReferenceLeaseStore(clock, ReferenceLeaseStore.Defect.NONE);
    return () -> store;
  }
}
