package dev.weir.store.redis;

/** Limits and leases in Valkey against the kits: two clients of one server. */
@WhereValkeyIs
final class ValkeyTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.valkey();
  }
}
