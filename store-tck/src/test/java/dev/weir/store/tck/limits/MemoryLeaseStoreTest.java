package dev.weir.store.tck.limits;

import dev.weir.limits.LeaseStore;
import dev.weir.limits.memory.MemoryLeaseStore;
import java.time.InstantSource;
import java.util.function.Supplier;

class MemoryLeaseStoreTest implements LeaseStoreKit {
  @Override
  public Supplier<LeaseStore> leasesBy(InstantSource clock) {
    LeaseStore store = new MemoryLeaseStore(clock);
    return () -> store;
  }
}
