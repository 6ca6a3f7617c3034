package dev.weir.store.redis;

import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.SlidingWindow;
import dev.weir.core.limits.TokenBucket;
import java.time.Duration;
import java.util.List;

/** The servers that tests share; they end with the process. Each client has its own connection. */
final class Servers {
  static final List<Class<? extends Limit>> ALL_KINDS =
      List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);

  /** The longest timeout, so that busy machines keep it; timeouts are tested elsewhere. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private Servers() {}

  /** Two clients of one Redis 6.2. */
  static Clients oldest() {
    return Oldest.CLIENTS;
  }

  /** Two clients of one server of Debian's Redis. */
  static Clients installed() {
    return Installed.CLIENTS;
  }

  static Clients valkey() {
    return Valkey.CLIENTS;
  }

  /** Two clients of one Cluster of Debian's Redis. */
  static Clients cluster() {
    return Cluster.CLIENTS;
  }

  static Clients valkeyCluster() {
    return ValkeyCluster.CLIENTS;
  }

  record Clients(Redis one, Redis other) {
    static Clients of(String uri) {
      RedisSettings settings = RedisSettings.of(uri).withCommandTimeout(PATIENCE);
      return new Clients(Redis.open(settings), Redis.open(settings));
    }
  }

  private static final class Oldest {
    static final Clients CLIENTS = Clients.of(RedisServer.start(RedisProgram.oldest()).uri());
  }

  private static final class Installed {
    static final Clients CLIENTS = Clients.of(RedisServer.start(RedisProgram.installed()).uri());
  }

  private static final class Valkey {
    static final Clients CLIENTS = Clients.of(RedisServer.start(RedisProgram.valkey()).uri());
  }

  private static final class Cluster {
    static final Clients CLIENTS = Clients.of(ClusterServers.start(RedisProgram.installed()).uri());
  }

  private static final class ValkeyCluster {
    static final Clients CLIENTS = Clients.of(ClusterServers.start(RedisProgram.valkey()).uri());
  }
}
