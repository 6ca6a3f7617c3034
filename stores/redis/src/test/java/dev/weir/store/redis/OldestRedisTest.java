package dev.weir.store.redis;

/** Runs the kits on limits and leases in Redis 6.2: two clients of one server. */
final class OldestRedisTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.oldest();
  }
}
