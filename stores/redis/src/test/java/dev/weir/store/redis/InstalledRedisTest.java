package dev.weir.store.redis;

/** Runs the kits on limits and leases in Debian's Redis: two clients of one server. */
@RequiresProgram("redis-server")
final class InstalledRedisTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.installed();
  }
}
