package dev.weir.store.redis;

/** TLS to Valkey. */
@RequiresProgram("valkey-server")
final class ValkeyTlsTest implements TlsClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.valkey();
  }
}
