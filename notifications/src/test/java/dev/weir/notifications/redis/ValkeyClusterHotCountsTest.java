package dev.weir.notifications.redis;

import dev.weir.store.redis.RequiresProgram;
import dev.weir.store.redis.Servers;

/** Runs the kit on counts in a Cluster of Valkey: two clients. */
@RequiresProgram("valkey-server")
final class ValkeyClusterHotCountsTest implements HotCountsClaims {
  @Override
  public Servers.Clients clients() {
    return Servers.valkeyCluster();
  }
}
