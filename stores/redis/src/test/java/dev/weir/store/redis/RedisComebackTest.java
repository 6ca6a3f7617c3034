package dev.weir.store.redis;

/** How Debian's Redis comes back. */
final class RedisComebackTest extends RedisComeback {
  RedisComebackTest() {
    super(RedisProgram.installed());
  }
}
