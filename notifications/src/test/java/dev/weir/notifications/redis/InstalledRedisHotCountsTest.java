package dev.weir.notifications.redis;

import dev.weir.store.redis.RequiresProgram;
import dev.weir.store.redis.Servers;

/** Runs the kit on counts in Debian's Redis: two clients. */
@RequiresProgram("redis-server")
final class InstalledRedisHotCountsTest implements HotCountsClaims {
  @Override
  public Servers.Clients clients() {
    return Servers.installed();
  }
}
