package dev.weir.store.redis;

/** Limits and leases in Debian's Redis against the kits: two clients of one server. */
final class InstalledRedisTest implements SingleRedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.installed();
  }
}
