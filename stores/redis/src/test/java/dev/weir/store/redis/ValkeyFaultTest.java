package dev.weir.store.redis;

/** Faults of Valkey. */
@RequiresProgram("valkey-server")
final class ValkeyFaultTest extends RedisFaults {
  ValkeyFaultTest() {
    super(RedisProgram.valkey());
  }
}
