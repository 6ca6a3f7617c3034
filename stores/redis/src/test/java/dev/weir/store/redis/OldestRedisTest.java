package dev.weir.store.redis;

/** Limits and leases in Redis 6.2 against the kits: two clients of one server. */
final class OldestRedisTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.oldest();
  }
}
