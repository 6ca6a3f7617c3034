package dev.weir.benchmarks.gateway;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The minimum that grpc-java can do: Envoy's rate limit service with a constant response, on the
 * thread that reads the calls.
 */
final class BareRls implements RateLimitServiceGrpc.AsyncService {
  private static final RateLimitResponse OK =
      RateLimitResponse.newBuilder().setOverallCode(RateLimitResponse.Code.OK).build();

  private BareRls() {}

  /** Listens on a free port, prints its number, and serves until it is killed. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .directExecutor()
            .addService(RateLimitServiceGrpc.bindService(new BareRls()))
            .build()
            .start();
    System.out.println("listening on " + server.getPort());
    server.awaitTermination();
  }

  @Override
  public void shouldRateLimit(
      RateLimitRequest request, StreamObserver<RateLimitResponse> observer) {
    observer.onNext(OK);
    observer.onCompleted();
  }
}
