package dev.weir.store.redis;

/** How Valkey comes back. */
@RequiresValkey
final class ValkeyComebackTest extends RedisComeback {
  ValkeyComebackTest() {
    super(RedisProgram.valkey());
  }
}
