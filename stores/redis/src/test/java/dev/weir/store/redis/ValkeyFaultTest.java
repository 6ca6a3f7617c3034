package dev.weir.store.redis;

/** Faults of Valkey. */
@RequiresValkey
final class ValkeyFaultTest extends RedisFaults {
  ValkeyFaultTest() {
    super(RedisProgram.valkey());
  }
}
