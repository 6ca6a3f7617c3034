package dev.weir.notifications.redis;

import dev.weir.store.redis.Servers;

/** Runs the kit on counts in Redis 6.2: two clients. */
final class OldestRedisHotCountsTest implements HotCountsClaims {
  @Override
  public Servers.Clients clients() {
    return Servers.oldest();
  }
}
