package dev.weir.store.redis;

/** Runs the kits on limits and leases in Valkey: two clients of one server. */
@RequiresProgram("valkey-server")
final class ValkeyTest implements RedisKit {
  @Override
  public Servers.Clients clients() {
    return Servers.valkey();
  }
}
