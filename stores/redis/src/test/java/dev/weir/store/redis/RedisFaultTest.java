package dev.weir.store.redis;

/** Faults of the oldest Redis. */
final class RedisFaultTest extends RedisFaults {
  RedisFaultTest() {
    super(RedisProgram.oldest());
  }
}
