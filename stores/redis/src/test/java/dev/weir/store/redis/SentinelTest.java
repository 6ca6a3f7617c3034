package dev.weir.store.redis;

/** Claims about Sentinels, with the oldest supported Redis. */
final class SentinelTest implements SentinelClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.oldest();
  }
}
