package dev.weir.store.redis;

/** How Valkey comes back. */
@RequiresProgram("valkey-server")
final class ValkeyComebackTest extends RedisComeback {
  ValkeyComebackTest() {
    super(RedisProgram.valkey());
  }
}
