package dev.weir.store.redis;

/** Faults of Valkey. */
@WhereValkeyIs
final class ValkeyFaultTest extends RedisFaults {
  ValkeyFaultTest() {
    super(RedisProgram.valkey());
  }
}
