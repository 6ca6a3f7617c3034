package dev.weir.store.redis;

/** How Debian's Redis comes back. */
@RequiresProgram("redis-server")
final class RedisComebackTest extends RedisComeback {
  RedisComebackTest() {
    super(RedisProgram.installed());
  }
}
