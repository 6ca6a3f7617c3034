package dev.weir.store.redis;

/** How Valkey comes back. */
@WhereValkeyIs
final class ValkeyComebackTest extends RedisComeback {
  ValkeyComebackTest() {
    super(RedisProgram.valkey());
  }
}
