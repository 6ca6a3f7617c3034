package dev.weir.store.redis;

/** Runs the kits on limits and leases in a Cluster of Debian's Redis. */
@RequiresProgram("redis-server")
final class ClusterKitTest implements ClusterKit {
  @Override
  public Servers.Clients clients() {
    return Servers.cluster();
  }
}
