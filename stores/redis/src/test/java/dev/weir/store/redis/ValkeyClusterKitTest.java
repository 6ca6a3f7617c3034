package dev.weir.store.redis;

/** Limits and leases in a Cluster of Valkey against the kits. */
@WhereValkeyIs
final class ValkeyClusterKitTest implements ClusterKit {
  @Override
  public Servers.Clients clients() {
    return Servers.valkeyCluster();
  }
}
