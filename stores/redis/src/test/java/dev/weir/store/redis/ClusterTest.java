package dev.weir.store.redis;

/** Claims about a Cluster, with Debian's Redis. */
@RequiresProgram("redis-server")
final class ClusterTest implements ClusterClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.installed();
  }

  @Override
  public Servers.Clients clients() {
    return Servers.cluster();
  }
}
