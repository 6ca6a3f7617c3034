package dev.weir.server.limits.node;

import dev.weir.store.redis.Redis;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns if Redis may evict counts when its memory is full; warns once until the policy changes. */
final class EvictionCheck implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(EvictionCheck.class);

  private final Redis redis;
  private Optional<String> known = Optional.empty();

  EvictionCheck(Redis redis) {
    this.redis = redis;
  }

  @Override
  public void run() {
    Optional<String> policy = redis.eviction();
    if (policy.isPresent() && !policy.equals(known)) {
      log.warn(
          "Redis drops keys when its memory is full (maxmemory-policy {}): limits are then counted"
              + " anew without notice. Set noeviction",
          policy.get());
    }
    known = policy;
  }
}
