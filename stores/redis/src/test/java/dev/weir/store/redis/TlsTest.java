package dev.weir.store.redis;

/** TLS to Debian's Redis. */
@RequiresProgram("redis-server")
final class TlsTest implements TlsClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.installed();
  }
}
