package dev.weir.store.redis;

import dev.weir.limits.LimitStore;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Runs all kits on a Cluster. The keys of a claim share a slot, because claims combine any keys in
 * one request; those of different claims are on different nodes.
 */
interface ClusterKit extends RedisKit {
  AtomicInteger SCENES = new AtomicInteger();

  @Override
  default Supplier<LimitStore> limitsBy(InstantSource clock) {
    String tag = "{kit" + SCENES.getAndIncrement() + "}";
    return () -> new InOneSlot(new RedisLimitStore(client(), StoreClock.of(clock)), tag);
  }
}
