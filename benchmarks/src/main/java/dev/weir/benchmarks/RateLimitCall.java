package dev.weir.benchmarks;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A call of Envoy's rate limit service in the domain {@code bench}. */
public record RateLimitCall(RateLimitRequest request) {
  public static final String METHOD = RateLimitServiceGrpc.SERVICE_NAME + "/ShouldRateLimit";

  /** Returns a call with one descriptor. */
  public static RateLimitCall of(String... keysAndValues) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      descriptor.addEntries(
          RateLimitDescriptor.Entry.newBuilder()
              .setKey(keysAndValues[i])
              .setValue(keysAndValues[i + 1]));
    }
    return new RateLimitCall(
        RateLimitRequest.newBuilder().setDomain("bench").addDescriptors(descriptor).build());
  }

  /** Throws unless a limit decided this call, because load generators do not read responses. */
  public void requireDecidedBy(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .usePlaintext()
            .build();
    try {
      RateLimitResponse answer =
          RateLimitServiceGrpc.newBlockingStub(channel).shouldRateLimit(request);
      if (answer.getOverallCode() != RateLimitResponse.Code.OK
          || answer.getStatusesCount() == 0
          || answer.getStatuses(0).getLimitRemaining() == 0) {
        throw new IllegalStateException("no limit has decided: " + answer);
      }
    } finally {
      channel.shutdownNow();
    }
  }
}
