package dev.weir.notifications.redis;

import dev.weir.store.redis.RequiresProgram;
import dev.weir.store.redis.Servers;

/** Runs the kit on counts in Valkey: two clients. */
@RequiresProgram("valkey-server")
final class ValkeyHotCountsTest implements HotCountsClaims {
  @Override
  public Servers.Clients clients() {
    return Servers.valkey();
  }
}
