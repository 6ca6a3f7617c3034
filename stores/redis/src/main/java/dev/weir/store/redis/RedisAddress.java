package dev.weir.store.redis;

import io.lettuce.core.RedisURI;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;

/**
 * The address of a Redis server or Cluster, parsed from a URI.
 *
 * <pre>
 * redis://[user:password@]host[:6379][/database]
 * redis-sentinel://[user:password@]host[:26379][,host…][/database]#master
 * redis-cluster://[user:password@]host[:6379][,host…]
 * </pre>
 *
 * and the same with {@code rediss} for TLS. Neither {@link #toString} nor exception messages
 * contain the password.
 *
 * @param servers servers to connect to; several are nodes of one Cluster
 */
record RedisAddress(List<RedisURI> servers, boolean isCluster) {
  private static final String CLUSTER = "-cluster://";

  static RedisAddress of(String uri) {
    int scheme = uri.indexOf("://");
    if (scheme < 0) {
      throw unreadable();
    }
    // The original messages are dropped: they contain the address.
    try {
      return switch (uri.substring(0, scheme)) {
        case "redis", "rediss", "redis-sentinel", "rediss-sentinel" ->
            new RedisAddress(List.of(single(uri)), false);
        case "redis-cluster", "rediss-cluster" -> new RedisAddress(cluster(uri), true);
        default -> throw unreadable();
      };
    } catch (IllegalArgumentException | IllegalStateException | URISyntaxException e) {
      throw unreadable();
    }
  }

  private static RedisURI single(String uri) throws URISyntaxException {
    URI read = new URI(uri);
    RedisURI address = RedisURI.create(read);
    // Lettuce takes a host with a port that is not a number for a host name.
    boolean isHost = read.getHost() != null || !String.valueOf(address.getHost()).contains(":");
    if (address.getSentinels().isEmpty() && !isHost) {
      throw unreadable();
    }
    return address;
  }

  private static List<RedisURI> cluster(String uri) throws URISyntaxException {
    int end = uri.indexOf(CLUSTER);
    String scheme = uri.substring(0, end) + "://";
    String rest = uri.substring(end + CLUSTER.length());
    int at = rest.lastIndexOf('@');
    String user = rest.substring(0, at + 1);
    List<RedisURI> nodes = new ArrayList<>();
    for (String host : rest.substring(at + 1).split(",", -1)) {
      nodes.add(single(scheme + user + host));
    }
    return List.copyOf(nodes);
  }

  private static IllegalArgumentException unreadable() {
    return new IllegalArgumentException(
        "uri must be redis://host:port, redis-sentinel://host:port,host:port#master or"
            + " redis-cluster://host:port,host:port (rediss… for TLS)");
  }

  @Override
  public String toString() {
    List<String> hosts = new ArrayList<>();
    for (RedisURI server : servers) {
      if (server.getSentinels().isEmpty()) {
        hosts.add(server.getHost() + ":" + server.getPort());
      }
      for (RedisURI sentinel : server.getSentinels()) {
        hosts.add(sentinel.getHost() + ":" + sentinel.getPort());
      }
    }
    return (isCluster ? "Redis Cluster " : "Redis ") + String.join(",", hosts);
  }
}
