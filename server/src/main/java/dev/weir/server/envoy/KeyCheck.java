package dev.weir.server.envoy;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.function.Predicate;

/** Rejects calls without a valid bearer token. */
final class KeyCheck implements ServerInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String BEARER = "Bearer ";

  private final Predicate<String> isKey;

  KeyCheck(Predicate<String> isKey) {
    this.isKey = isKey;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String shown = headers.get(AUTHORIZATION);
    if (shown == null || !shown.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return refuse(
          call, Status.UNAUTHENTICATED.withDescription("send authorization: Bearer with a key"));
    }
    if (!isKey.test(shown.substring(BEARER.length()).trim())) {
      return refuse(
          call, Status.PERMISSION_DENIED.withDescription("this key is not valid for this service"));
    }
    return next.startCall(call, headers);
  }

  private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, Status status) {
    call.close(status, new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
