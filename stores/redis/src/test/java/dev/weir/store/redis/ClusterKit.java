package dev.weir.store.redis;

import dev.weir.engine.limits.LimitStore;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Both kits on a Cluster. The limits of a claim share a slot, since it asks for any keys together;
 * those of different claims lie on different nodes.
 */
interface ClusterKit extends RedisKit {
  AtomicInteger SCENES = new AtomicInteger();

  @Override
  default Supplier<LimitStore> limitsBy(InstantSource clock) {
    String tag = "{kit" + SCENES.getAndIncrement() + "}";
    return () -> new InOneSlot(new RedisLimitStore(client(), StoreClock.of(clock)), tag);
  }
}
