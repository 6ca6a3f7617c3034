package dev.weir.store.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Opens and keeps the connection to Redis, starting on first use.
 *
 * <p>Lettuce reconnects an open connection automatically until {@link #drop} drops it; commands
 * sent while it is lost fail immediately. Sentinels are asked for the master at each new
 * connection. Thread-safe.
 */
final class RedisConnector implements AutoCloseable {
  private static final Duration MAX_RETRY_DELAY = Duration.ofMillis(250);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

  /** Longer than a caller waits by default: a connection that comes late serves later callers. */
  private static final Duration MIN_HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

  private static final Duration TOPOLOGY_AGE = Duration.ofSeconds(30);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);

  private final RedisAddress address;
  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable CompletableFuture<RedisConnection> connection;
  private long openedAtNanos;
  private boolean isClosed;

  RedisConnector(RedisSettings settings) {
    this.address = RedisAddress.of(settings.uri());
    this.resources =
        DefaultClientResources.builder()
            .reconnectDelay(
                Delay.exponential(Duration.ofMillis(10), MAX_RETRY_DELAY, 2, TimeUnit.MILLISECONDS))
            .build();
    address.servers().forEach(server -> server.setTimeout(handshakeTimeout(settings)));
    this.client = client(settings);
  }

  boolean isCluster() {
    return address.isCluster();
  }

  /** Returns the connection. Fails if it cannot be opened; a call a little later tries again. */
  CompletableFuture<RedisConnection> connection() {
    CompletableFuture<RedisConnection> known = connection;
    return known != null && !known.isCompletedExceptionally() ? known : open();
  }

  private CompletableFuture<RedisConnection> open() {
    opening.lock();
    try {
      if (isClosed) {
        return CompletableFuture.failedFuture(new RedisConnectionException("closed"));
      }
      CompletableFuture<RedisConnection> known = connection;
      // Shortly after a failed attempt, callers get its failure instead of trying again.
      boolean isRecent = System.nanoTime() - openedAtNanos < MAX_RETRY_DELAY.toNanos();
      if (known != null && (isRecent || !known.isCompletedExceptionally())) {
        return known;
      }
      openedAtNanos = System.nanoTime();
      CompletableFuture<RedisConnection> opened = connect();
      connection = opened;
      return opened;
    } finally {
      opening.unlock();
    }
  }

  /**
   * Drops a connection that was opened before a time; the next call opens another. Does nothing on
   * a Cluster, where it would disconnect all nodes because of one.
   */
  void drop(long beforeNanos) {
    if (isCluster()) {
      return;
    }
    opening.lock();
    try {
      CompletableFuture<RedisConnection> known = connection;
      boolean isRecent = System.nanoTime() - openedAtNanos < MAX_RETRY_DELAY.toNanos();
      if (known != null && known.isDone() && !isRecent && openedAtNanos - beforeNanos < 0) {
        connection = null;
        var unused = known.thenAccept(RedisConnection::close);
      }
    } finally {
      opening.unlock();
    }
  }

  private CompletableFuture<RedisConnection> connect() {
    return client instanceof RedisClusterClient cluster
        ? cluster
            .refreshPartitionsAsync()
            .thenCompose(known -> cluster.connectAsync(ByteArrayCodec.INSTANCE))
            .toCompletableFuture()
            .thenApply(RedisConnection.ToCluster::new)
        : ((RedisClient) client)
            .connectAsync(ByteArrayCodec.INSTANCE, address.servers().getFirst())
            .toCompletableFuture()
            .thenApply(RedisConnection.ToOne::new);
  }

  private AbstractRedisClient client(RedisSettings settings) {
    if (!address.isCluster()) {
      RedisClient single = RedisClient.create(resources);
      ClientOptions.Builder builder = ClientOptions.builder();
      configure(builder, settings);
      single.setOptions(builder.build());
      return single;
    }
    RedisClusterClient cluster = RedisClusterClient.create(resources, address.servers());
    ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
    configure(builder, settings);
    builder.topologyRefreshOptions(
        ClusterTopologyRefreshOptions.builder()
            .enablePeriodicRefresh(TOPOLOGY_AGE)
            .adaptiveRefreshTriggersTimeout(MAX_RETRY_DELAY)
            .build());
    cluster.setOptions(builder.build());
    return cluster;
  }

  private static void configure(ClientOptions.Builder builder, RedisSettings settings) {
    builder
        .autoReconnect(true)
        // Also fails commands in flight: a script that is sent again would take permits twice.
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .requestQueueSize(settings.maxWaiting())
        .sslOptions(encryption(settings))
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(CONNECT_TIMEOUT)
                .keepAlive(true)
                .tcpNoDelay(true)
                .build());
  }

  private static SslOptions encryption(RedisSettings settings) {
    SslOptions.Builder builder =
        SslOptions.builder().jdkSslProvider().handshakeTimeout(handshakeTimeout(settings));
    settings.trust().map(Trust::in).ifPresent(builder::trustManager);
    return builder.build();
  }

  private static Duration handshakeTimeout(RedisSettings settings) {
    Duration command = settings.commandTimeout();
    return command.compareTo(MIN_HANDSHAKE_TIMEOUT) > 0 ? command : MIN_HANDSHAKE_TIMEOUT;
  }

  @Override
  public void close() {
    opening.lock();
    try {
      isClosed = true;
      connection = null;
    } finally {
      opening.unlock();
    }
    // Its own wait for connections that are being closed has no bound.
    client
        .shutdownAsync(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .completeOnTimeout(null, 2 * SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    resources
        .shutdown(0, SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(SHUTDOWN_TIMEOUT.toMillis());
  }
}
