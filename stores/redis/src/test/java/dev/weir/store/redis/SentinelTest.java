package dev.weir.store.redis;

/** What is special about Sentinels, with the oldest Redis. */
final class SentinelTest implements SentinelClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.oldest();
  }
}
