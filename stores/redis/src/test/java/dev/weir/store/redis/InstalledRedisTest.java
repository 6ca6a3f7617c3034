package dev.weir.store.redis;

/** Limits and leases in Debian's Redis against the kits: two clients of one server. */
final class InstalledRedisTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.installed();
  }
}
