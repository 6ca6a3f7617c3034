package dev.weir.store.redis;

/** Runs the kits on limits and leases in a Cluster of Valkey. */
@RequiresProgram("valkey-server")
final class ValkeyClusterKitTest implements ClusterKit {
  @Override
  public Servers.Clients clients() {
    return Servers.valkeyCluster();
  }
}
