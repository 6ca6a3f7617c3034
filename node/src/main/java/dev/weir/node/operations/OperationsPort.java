package dev.weir.node.operations;

import dev.weir.TrustedProxies;
import dev.weir.http.authentication.AllowedHosts;
import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.BearerToken;
import dev.weir.http.authentication.Exposure;
import dev.weir.http.authentication.FailedLogins;
import dev.weir.http.authentication.HttpSettings;
import dev.weir.http.connections.ConnectionLimit;
import dev.weir.http.endpoints.Readiness;
import dev.weir.http.json.Json;
import dev.weir.http.problems.Problem;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics and health over HTTP, on a port of their own, for a program without the API: the paths
 * and answers are those of a node. A connection serves one request. Thread-safe.
 */
public final class OperationsPort implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OperationsPort.class);
  public static final int MAX_CONNECTIONS = 32;
  public static final int MAX_CONNECTIONS_PER_ADDRESS = 16;
  private static final Duration MAX_CONNECTION = Duration.ofSeconds(15);
  private static final int MAX_LINE = 1_024;
  private static final int MAX_HEADERS = 8_192;
  private static final String JSON = "application/json";

  private final HttpSettings access;
  private final FailedLogins failures;
  private final AllowedHosts allowed;
  private final Readiness readiness;
  private final PrometheusRegistry metrics;
  private final Duration maxConnection;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1,
          Thread.ofPlatform().daemon().name("weir-operations-", 0).factory(),
          NioIoHandler.newFactory());

  /** Answers may wait for the database; there are no more threads than connections. */
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private final Channel socket;

  /**
   * Starts to listen.
   *
   * @param access the credentials that open metrics
   * @param maxConnection maximum time of a connection
   * @throws IOException if the address cannot be bound
   */
  public OperationsPort(
      InetSocketAddress address,
      HttpSettings access,
      Readiness readiness,
      PrometheusRegistry metrics,
      Duration maxConnection)
      throws IOException {
    List<String> own = List.of(address.getHostString());
    this.access = access;
    this.failures = new FailedLogins(new AuthMetrics(metrics));
    this.allowed =
        access.exposure() == Exposure.LOOPBACK
            ? AllowedHosts.ofLoopback(own)
            : AllowedHosts.ofNetwork(own);
    this.readiness = readiness;
    this.metrics = metrics;
    this.maxConnection = maxConnection;
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .handler(
                new ConnectionLimit(
                    MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, TrustedProxies.NONE))
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    this.socket = bound.channel();
    if (!bound.isSuccess()) {
      close();
      throw new IOException("cannot listen on " + address, bound.cause());
    }
  }

  /**
   * Starts to listen.
   *
   * @param access the credentials that open metrics
   * @throws IOException if the address cannot be bound
   */
  public static OperationsPort start(
      InetSocketAddress address,
      HttpSettings access,
      Readiness readiness,
      PrometheusRegistry metrics)
      throws IOException {
    return new OperationsPort(address, access, readiness, metrics, MAX_CONNECTION);
  }

  /** Returns the port, which is another one than the given if that is 0. */
  public int port() {
    return ((InetSocketAddress) socket.localAddress()).getPort();
  }

  private void accept(Channel channel) {
    // Neither a slow request nor an answer that is not read takes longer, however often there is
    // a byte of it: a few such connections would keep everyone else out.
    var ending =
        channel
            .eventLoop()
            .schedule(() -> end(channel), maxConnection.toNanos(), TimeUnit.NANOSECONDS);
    channel.closeFuture().addListener(closed -> ending.cancel(false));
    channel
        .pipeline()
        .addLast(new HttpServerCodec(MAX_LINE, MAX_HEADERS, MAX_HEADERS))
        .addLast(new Exchange());
  }

  private static void end(Channel channel) {
    var unused = channel.close();
  }

  /** The one request of a connection. */
  private final class Exchange extends SimpleChannelInboundHandler<HttpObject> {
    private boolean isAnswered;

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
      if (isAnswered || !(part instanceof HttpRequest request)) {
        return;
      }
      isAnswered = true;
      threads.execute(
          () ->
              context
                  .writeAndFlush(answer(request, client(context.channel())))
                  .addListener(ChannelFutureListener.CLOSE));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
      log.debug("A connection of an operator failed", failure);
      var unused = context.close();
    }
  }

  private static String client(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? address.getAddress().getHostAddress()
        : "";
  }

  private DefaultFullHttpResponse answer(HttpRequest request, String client) {
    try {
      return response(request, client);
    } catch (RuntimeException e) {
      log.error("A request of an operator failed", e);
      return problem(Problem.of(500, "unexpected", "Something went wrong; see the log."));
    }
  }

  private DefaultFullHttpResponse response(HttpRequest request, String client) {
    if (request.decoderResult().isFailure()) {
      return problem(Problem.of(400, "bad-request", "This is not a valid HTTP request."));
    }
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      DefaultFullHttpResponse refused =
          problem(Problem.of(405, "method-not-allowed", "There is only GET."));
      refused.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
      return refused;
    }
    // Not decoded: that fails for what is not percent-encoded, and none of these paths needs it.
    return switch (new QueryStringDecoder(request.uri()).rawPath()) {
      case "/health/live" -> health(HealthJson.UP);
      case "/health/ready" -> health(HealthJson.of(readiness));
      case "/metrics" -> metrics(request, client);
      default -> problem(Problem.of(404, "not-found", "There is nothing at this path."));
    };
  }

  private DefaultFullHttpResponse metrics(HttpRequest request, String client) {
    return refusal(request, client)
        .map(OperationsPort::problem)
        .orElseGet(
            () -> response(200, PrometheusTextFormatWriter.CONTENT_TYPE, MetricsText.of(metrics)));
  }

  /** Returns why this caller may not read metrics; empty if it may. */
  private Optional<Problem> refusal(HttpRequest request, String client) {
    if (access.isOpenToObservers()) {
      // A page of another site must not read them through a browser that reaches this port.
      return request.headers().getAll(HttpHeaderNames.HOST).stream().allMatch(allowed::isOwn)
          ? Optional.empty()
          : Optional.of(
              Problem.of(421, "misdirected", "Without a token, only its own names are answered."));
    }
    Optional<String> token =
        BearerToken.only(request.headers().getAll(HttpHeaderNames.AUTHORIZATION));
    if (token.filter(access::isAccepted).isPresent()) {
      return Optional.empty();
    }
    failures.record(
        token.isEmpty() ? AuthMetrics.Failure.MISSING : AuthMetrics.Failure.INVALID,
        client,
        "GET /metrics");
    return Optional.of(
        token.isEmpty()
            ? BearerToken.missing()
            : Problem.of(403, "not-allowed", "This token does not permit this endpoint."));
  }

  private static DefaultFullHttpResponse health(HealthJson health) {
    return response(health.isUp() ? 200 : 503, JSON, Json.bytes(health::write));
  }

  private static DefaultFullHttpResponse problem(Problem problem) {
    return response(problem.status(), Problem.MEDIA_TYPE, problem.toJson());
  }

  private static DefaultFullHttpResponse response(int status, String type, byte[] body) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    threads.shutdownNow();
  }

  @Override
  public String toString() {
    return "the port of metrics and health";
  }
}
