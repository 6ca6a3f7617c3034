package dev.weir.store.redis;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.LeaseStore;
import dev.weir.engine.limits.LimitStore;
import dev.weir.store.tck.LeaseStoreKit;
import dev.weir.store.tck.LimitStoreKit;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Limits and leases in a Redis Cluster against the kits. Limits share a slot there, since the kit
 * asks for any keys together.
 */
final class ClusterKitTest implements LimitStoreKit<Limit>, LeaseStoreKit {
  private static final AtomicInteger OPENED = new AtomicInteger();

  @Override
  public List<Class<? extends Limit>> kinds() {
    return Servers.ALL_KINDS;
  }

  @Override
  public Supplier<LimitStore<Limit>> limitsBy(InstantSource clock) {
    return () -> new InOneSlot(new RedisLimitStore(client(), StoreClock.of(clock)));
  }

  @Override
  public Supplier<LeaseStore> leasesBy(InstantSource clock) {
    return () -> new RedisLeaseStore(client(), StoreClock.of(clock));
  }

  private static Redis client() {
    Servers.Clients clients = Servers.cluster();
    return OPENED.getAndIncrement() % 2 == 0 ? clients.one() : clients.other();
  }
}
