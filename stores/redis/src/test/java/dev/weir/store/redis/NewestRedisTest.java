package dev.weir.store.redis;

/** Limits and leases in Valkey or Redis 7 against the kits: two clients of one server. */
final class NewestRedisTest implements SingleRedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.newest();
  }
}
