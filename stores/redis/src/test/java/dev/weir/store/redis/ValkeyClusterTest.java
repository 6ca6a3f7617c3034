package dev.weir.store.redis;

/** Claims about a Cluster, with Valkey. */
@RequiresProgram("valkey-server")
final class ValkeyClusterTest implements ClusterClaims {
  @Override
  public RedisProgram program() {
    return RedisProgram.valkey();
  }

  @Override
  public Servers.Clients clients() {
    return Servers.valkeyCluster();
  }
}
