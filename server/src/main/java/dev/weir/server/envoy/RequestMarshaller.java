package dev.weir.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.io.InputStream;

/**
 * Parses requests, and returns {@link #MALFORMED} for bytes that are not a message. An exception
 * would reach the caller as {@code UNKNOWN}, whatever its status, and would be logged as an error
 * of the service.
 */
final class RequestMarshaller implements MethodDescriptor.Marshaller<RateLimitRequest> {
  /**
   * Stands for bytes that are not a message, or one with too many fields; compare it by identity.
   */
  static final RateLimitRequest MALFORMED = RateLimitRequest.newBuilder().build();

  private final MethodDescriptor.Marshaller<RateLimitRequest> usual;

  private RequestMarshaller(MethodDescriptor.Marshaller<RateLimitRequest> usual) {
    this.usual = usual;
  }

  /** Returns the definition of a service whose requests are parsed by this marshaller. */
  static ServerServiceDefinition bind(RateLimitServiceGrpc.AsyncService service) {
    MethodDescriptor<RateLimitRequest, RateLimitResponse> usual =
        RateLimitServiceGrpc.getShouldRateLimitMethod();
    MethodDescriptor<RateLimitRequest, RateLimitResponse> method =
        usual.toBuilder(
                new RequestMarshaller(usual.getRequestMarshaller()), usual.getResponseMarshaller())
            .build();
    ServerCallHandler<RateLimitRequest, RateLimitResponse> handler =
        ServerCalls.asyncUnaryCall(service::shouldRateLimit);
    return ServerServiceDefinition.builder(
            ServiceDescriptor.newBuilder(RateLimitServiceGrpc.SERVICE_NAME)
                .setSchemaDescriptor(
                    RateLimitServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
                .addMethod(method)
                .build())
        .addMethod(method, handler)
        .build();
  }

  @Override
  public InputStream stream(RateLimitRequest value) {
    return usual.stream(value);
  }

  @Override
  public RateLimitRequest parse(InputStream stream) {
    byte[] bytes;
    try {
      // gRPC's streams know their length; reading without it would allocate a large buffer.
      bytes = stream instanceof KnownLength ? read(stream) : stream.readAllBytes();
    } catch (IOException e) {
      return MALFORMED;
    }
    if (!FieldCount.isBounded(bytes)) {
      return MALFORMED;
    }
    try {
      return RateLimitRequest.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      return LenientText.parse(bytes).orElse(MALFORMED);
    }
  }

  private static byte[] read(InputStream stream) throws IOException {
    return stream.readNBytes(stream.available());
  }
}
