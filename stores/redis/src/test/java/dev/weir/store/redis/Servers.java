package dev.weir.store.redis;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.List;

/** The servers that tests share; they end with the process. Each client has its own connection. */
public final class Servers {
  static final List<Class<? extends Limit>> ALL_KINDS =
      List.of(FixedWindow.class, SlidingWindow.class, TokenBucket.class);

  /** The longest timeout, so that busy machines keep it; timeouts are tested elsewhere. */
  static final Duration MAX_WAIT = Duration.ofMinutes(1);

  private static final Policy ANY = Policy.of("any", FixedWindow.of(1, Duration.ofDays(1)));

  private Servers() {}

  /**
   * Opens a connection for tests of something else than connecting, and returns when it is ready.
   * On a busy machine, connecting may take longer than it may.
   */
  static Redis open(String uri) {
    Redis redis = Redis.open(RedisSettings.of(uri).withCommandTimeout(MAX_WAIT));
    var unused =
        Await.answer(
            () -> {
              // Connects to all masters of a Cluster.
              redis.scan("none", names -> {});
              // Creates the markers of all slots.
              return new RedisLimitStore(redis)
                  .peek(AcquireRequest.of(LimitRequest.of(ANY, "none")));
            });
    return redis;
  }

  /** Two clients of one Redis 6.2. */
  public static Clients oldest() {
    return Oldest.CLIENTS;
  }

  /** Two clients of one server of Debian's Redis. */
  public static Clients installed() {
    return Installed.CLIENTS;
  }

  public static Clients valkey() {
    return Valkey.CLIENTS;
  }

  /** Two clients of one Cluster of Debian's Redis. */
  public static Clients cluster() {
    return Cluster.CLIENTS;
  }

  public static Clients valkeyCluster() {
    return ValkeyCluster.CLIENTS;
  }

  public record Clients(Redis one, Redis other) {
    static Clients of(String uri) {
      return new Clients(open(uri), open(uri));
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
