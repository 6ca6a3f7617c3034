package dev.weir.server.envoy;

import dev.weir.http.authentication.AuthMetrics;
import dev.weir.http.authentication.BearerToken;
import dev.weir.http.authentication.FailedLogins;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Predicate;

/** Rejects calls without a valid bearer token. */
final class KeyCheck implements ServerInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final Predicate<String> isKey;
  private final FailedLogins failures;

  KeyCheck(Predicate<String> isKey, FailedLogins failures) {
    this.isKey = isKey;
    this.failures = failures;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String shown = headers.get(AUTHORIZATION);
    Optional<String> token = shown == null ? Optional.empty() : BearerToken.of(shown);
    if (token.isEmpty()) {
      failures.record(AuthMetrics.Failure.MISSING, client(call), name(call));
      return refuse(
          call, Status.UNAUTHENTICATED.withDescription("send authorization: Bearer with a key"));
    }
    if (!isKey.test(token.get())) {
      failures.record(AuthMetrics.Failure.INVALID, client(call), name(call));
      return refuse(
          call, Status.PERMISSION_DENIED.withDescription("this key is not valid for this service"));
    }
    return next.startCall(call, headers);
  }

  private static String client(ServerCall<?, ?> call) {
    return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
            instanceof InetSocketAddress address
        ? address.getAddress().getHostAddress()
        : "";
  }

  private static String name(ServerCall<?, ?> call) {
    return call.getMethodDescriptor().getFullMethodName();
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status status) {
    call.close(status, new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
