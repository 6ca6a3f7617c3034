package dev.weir.store.redis;

/** TLS to Valkey. */
@RequiresValkey
final class ValkeyTlsTest implements TlsClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.valkey();
  }
}
