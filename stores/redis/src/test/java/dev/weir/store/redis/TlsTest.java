package dev.weir.store.redis;

/** TLS to Debian's Redis. */
final class TlsTest implements TlsClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.installed();
  }
}
