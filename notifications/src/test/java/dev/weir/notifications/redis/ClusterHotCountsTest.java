package dev.weir.notifications.redis;

import dev.weir.store.redis.RequiresProgram;
import dev.weir.store.redis.Servers;

/** Runs the kit on counts in a Cluster of Debian's Redis: two clients. */
@RequiresProgram("redis-server")
final class ClusterHotCountsTest implements HotCountsClaims {
  @Override
  public Servers.Clients clients() {
    return Servers.cluster();
  }
}
