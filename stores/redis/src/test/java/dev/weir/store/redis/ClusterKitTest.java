package dev.weir.store.redis;

/** Limits and leases in a Cluster of Debian's Redis against the kits. */
final class ClusterKitTest implements ClusterKit {
  @Override
  public Servers.Clients clients() {
    return Servers.cluster();
  }
}
