package dev.weir.engine.rules;

import dev.weir.core.limits.Concurrency;
import dev.weir.engine.limits.LeaseStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The leases of those who have passed and are not done: as many as requests are under way. They are
 * renewed, so that a request that takes long keeps its place. Thread-safe.
 */
final class HeldLeases {
  private final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

  private record HeldLease(
      LeaseStore store, String resource, Concurrency concurrency, String leaseId) {}

  /** Holds a lease; what is returned ends it. */
  Runnable hold(LeaseStore store, String resource, Concurrency concurrency, String leaseId) {
    HeldLease lease = new HeldLease(store, resource, concurrency, leaseId);
    leases.add(lease);
    return () -> {
      leases.remove(lease);
      store.release(resource, leaseId);
    };
  }

  void renew() {
    for (HeldLease lease : leases) {
      lease.store().renew(lease.resource(), lease.concurrency(), lease.leaseId());
    }
  }
}
