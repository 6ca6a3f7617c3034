package dev.weir.store.redis;

/** Claims about Sentinels, with Valkey. */
@RequiresProgram("valkey-server")
final class ValkeySentinelTest implements SentinelClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.valkey();
  }
}
