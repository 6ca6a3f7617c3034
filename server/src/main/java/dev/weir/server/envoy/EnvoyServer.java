package dev.weir.server.envoy;

import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.connections.ConnectionLimit;
import dev.weir.http.connections.ListenerSettings;
import dev.weir.http.connections.RequestMemory;
import dev.weir.limits.LimitStore;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.server.metrics.EnvoyMetrics;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gRPC server with Envoy's rate limit service and gRPC's health service. */
public final class EnvoyServer implements AutoCloseable {
  /**
   * Max message size in bytes, the default of gRPC. An error would let the request pass if Envoy is
   * configured to fail open, so what a client can cause must fit: all headers that Envoy accepts,
   * 60 KiB, in each of 32 descriptors.
   */
  static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

  private static final Logger log = LoggerFactory.getLogger(EnvoyServer.class);

  /**
   * The logger that writes a stack trace for each message that is too large. That is the caller's
   * mistake, and the caller receives an error. The reference is kept here because the level of an
   * unreferenced logger is lost.
   */
  private static final java.util.logging.Logger OF_STREAMS =
      java.util.logging.Logger.getLogger("io.grpc.netty.NettyServerStream");

  /**
   * Messages are not compressed: one of some kilobytes could become as long as the longest, and
   * what is in progress is counted by the bytes that arrive.
   */
  private static final DecompressorRegistry UNCOMPRESSED =
      DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false);

  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_CALLS_PER_CONNECTION = 10_000;

  /** Max calls that a connection cancels in 10 s. Envoy cancels those that take too long. */
  static final int MAX_RESETS = 10_000;

  private static final Duration MIN_KEEP_ALIVE = Duration.ofSeconds(10);

  /** Max time until a new connection has sent the preface of HTTP/2. */
  private static final Duration MAX_HANDSHAKE = Duration.ofSeconds(10);

  private static final Duration CUTTING = Duration.ofSeconds(2);

  private final EventLoopGroup acceptor = eventLoops(1, "weir-grpc-accept-");
  private final EventLoopGroup group =
      eventLoops(Runtime.getRuntime().availableProcessors(), "weir-grpc-");
  private final Server server;
  private final HealthStatusManager health;
  private final WaitingRoom waitingRoom;
  private final Optional<ExecutorService> threads;

  /**
   * The components that the service uses.
   *
   * @param counts the store that hits are given back to
   * @param isBlocking whether a decision may wait for a store; if not, calls are answered on the
   *     thread that reads them
   * @param memory the budget of messages in progress
   */
  public record Parts(
      RuleIndex index,
      RuleEvaluator evaluator,
      LimitStore counts,
      boolean isBlocking,
      EnvoyMetrics metrics,
      RequestMemory memory) {}

  /**
   * The keys of callers.
   *
   * @param isKey returns true for a key that may call
   * @param failures records calls without one
   */
  public record Keys(Predicate<String> isKey, FailedLogins failures) {}

  /**
   * Starts the server.
   *
   * @param connections max connections
   * @param keys the keys of callers; if empty, every caller is allowed
   * @throws IOException if the address is in use or not allowed
   */
  public static EnvoyServer start(
      InetSocketAddress address,
      ListenerSettings.Connections connections,
      Parts parts,
      Optional<Keys> keys)
      throws IOException {
    return new EnvoyServer(address, connections, parts, keys);
  }

  private EnvoyServer(
      InetSocketAddress address,
      ListenerSettings.Connections connections,
      Parts parts,
      Optional<Keys> keys)
      throws IOException {
    OF_STREAMS.setLevel(java.util.logging.Level.SEVERE);
    threads =
        parts.isBlocking()
            ? Optional.of(Executors.newVirtualThreadPerTaskExecutor())
            : Optional.empty();
    Executor executor = threads.<Executor>map(each -> each).orElse(Runnable::run);
    waitingRoom = new WaitingRoom();
    health = new HealthStatusManager();
    health.setStatus(RateLimitServiceGrpc.SERVICE_NAME, ServingStatus.SERVING);
    ServerServiceDefinition service = RequestMarshaller.bind(new EnvoyService(parts, waitingRoom));
    MessageMemory memory = new MessageMemory(parts.memory());
    server =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(acceptor)
            .workerEventLoopGroup(group)
            .channelFactory(() -> listener(connections.limit()))
            .executor(executor)
            .handshakeTimeout(MAX_HANDSHAKE.toSeconds(), TimeUnit.SECONDS)
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .decompressorRegistry(UNCOMPRESSED)
            .maxInboundMetadataSize(MAX_METADATA_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .maxRstFramesPerWindow(MAX_RESETS, Math.toIntExact(FrameLimit.WINDOW.toSeconds()))
            .permitKeepAliveTime(MIN_KEEP_ALIVE.toSeconds(), TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .addStreamTracerFactory(memory)
            .intercept(memory)
            .addService(
                keys.map(
                        known ->
                            ServerInterceptors.intercept(
                                service, new KeyCheck(known.isKey(), known.failures())))
                    .orElse(service))
            .addService(HealthMarshaller.bind(health.getHealthService()))
            .build();
    boolean isListening = false;
    try {
      server.start();
      isListening = true;
    } finally {
      if (!isListening) {
        waitingRoom.close();
        stopEventLoops();
      }
    }
  }

  private static EventLoopGroup eventLoops(int threads, String name) {
    return new MultiThreadIoEventLoopGroup(
        threads,
        Thread.ofPlatform().daemon().name(name, 0).factory(),
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  /** Creates the listening socket, which counts connections and frames before gRPC sees them. */
  private static ServerChannel listener(ConnectionLimit limit) {
    ServerChannel listener =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    listener
        .pipeline()
        .addLast(
            limit,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object accepted) {
                if (accepted instanceof Channel connection) {
                  connection.pipeline().addLast(new FrameLimit(), new UnreadResponses());
                }
                context.fireChannelRead(accepted);
              }
            });
    return listener;
  }

  private void stopEventLoops() {
    for (EventLoopGroup each : List.of(acceptor, group)) {
      var unused = each.shutdownGracefully(0, CUTTING.toSeconds(), TimeUnit.SECONDS);
    }
  }

  public int port() {
    return server.getPort();
  }

  /**
   * Reports through the health service that the server is shutting down, stops accepting calls
   * after {@code notice}, and lets calls in progress finish until {@code max} has passed.
   *
   * @param max max duration of the whole drain
   */
  public void drain(Duration notice, Duration max) {
    long endNanos = System.nanoTime() + max.toNanos();
    health.enterTerminalState();
    try {
      TimeUnit.NANOSECONDS.sleep(Math.min(notice.toNanos(), max.toNanos()));
      server.shutdown();
      if (!server.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        log.warn("Calls from Envoy that are still in progress after {} are cancelled", max);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Cancels the calls that are still in progress; those that wait in a queue give back their place.
   */
  @Override
  public void close() {
    server.shutdownNow();
    try {
      boolean isClosed = server.awaitTermination(CUTTING.toNanos(), TimeUnit.NANOSECONDS);
      if (threads.isPresent()) {
        threads.get().shutdown();
        isClosed &= threads.get().awaitTermination(CUTTING.toNanos(), TimeUnit.NANOSECONDS);
      }
      if (!isClosed) {
        log.warn("The gRPC port did not close within {}", CUTTING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    waitingRoom.close();
    stopEventLoops();
  }
}
