package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static dev.weir.server.envoy.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.rules.spec.RuleSpec;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which callers are accepted, and how much one call may contain. */
@Timeout(300)
final class EnvoyCallersTest {
  private static final RuleSpec API = inAMinute("api", 3);

  @Test
  void refusesCallsThatAreTooLargeOrAskNothing() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitDescriptor api = descriptor("rule", "api");
      RateLimitDescriptor[] many =
          IntStream.rangeClosed(0, DescriptorReader.MAX_DESCRIPTORS)
              .mapToObj(i -> descriptor("rule", "api", "user", "" + i))
              .toArray(RateLimitDescriptor[]::new);
      RateLimitDescriptor.Builder wide = api.toBuilder();
      for (int i = 0; i < DescriptorReader.MAX_ENTRIES; i++) {
        wide.addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("k" + i));
      }
      assertThat(failure(() -> served.ask()).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(failure(() -> served.ask(many)).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(failure(() -> served.ask(wide.build())).getCode())
          .isEqualTo(Status.Code.INVALID_ARGUMENT);
      String long1 = "x".repeat(EnvoyServer.MAX_MESSAGE_BYTES);
      assertThat(failure(() -> served.ask(descriptor("rule", "api", "k", long1))).getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(served.ask(api).getOverallCode()).as("it goes on").isEqualTo(Code.OK);
    }
  }

  @Test
  void refusesWhatIsNoMessage() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      byte[] api = request(descriptor("rule", "api")).toByteArray();
      assertThat(failure(() -> send(served, Arrays.copyOf(api, api.length - 1))))
          .extracting(Status::getCode, Status::getDescription)
          .containsExactly(
              Status.Code.INVALID_ARGUMENT,
              "the request is not a protobuf message, or has more than 10000 fields");
      assertThat(failure(() -> send(served, new byte[] {7})).getCode())
          .isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(failure(() -> send(served, new byte[0])).getDescription())
          .as("an empty one is one")
          .contains("descriptor");
      assertThat(send(served, api).getStatuses(0).getLimitRemaining())
          .as("nothing was taken before")
          .isEqualTo(2);
    }
  }

  @Test
  void limitsRequestsWithTextsThatAreNotUtf8() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      byte[] one = withBytes(request(descriptor("rule", "api", "key", "ZZ")), 0xFF, 0x80);
      byte[] other = withBytes(request(descriptor("rule", "api", "key", "ZZ")), 0xFF, 0x81);
      for (int i = 0; i < 3; i++) {
        assertThat(send(served, one).getOverallCode()).isEqualTo(Code.OK);
      }
      assertThat(send(served, one).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(send(served, other).getOverallCode()).as("another key").isEqualTo(Code.OK);
      assertThat(
              send(served, withBytes(request(descriptor("rule", "api", "ZZ", "")), 0xFF, 0x80))
                  .getStatuses(0)
                  .getLimitRemaining())
          .as("the name of an entry is a text, too")
          .isEqualTo(2);
    }
  }

  /** Returns the message with two bytes in place of "ZZ". */
  private static byte[] withBytes(RateLimitRequest message, int first, int second) {
    byte[] bytes = message.toByteArray();
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("ZZ");
    bytes[at] = (byte) first;
    bytes[at + 1] = (byte) second;
    return bytes;
  }

  private static RateLimitResponse send(ServedRules served, byte[] message) {
    MethodDescriptor<RateLimitRequest, RateLimitResponse> usual =
        RateLimitServiceGrpc.getShouldRateLimitMethod();
    MethodDescriptor<byte[], RateLimitResponse> method =
        usual.toBuilder(
                new MethodDescriptor.Marshaller<byte[]>() {
                  @Override
                  public InputStream stream(byte[] bytes) {
                    return new ByteArrayInputStream(bytes);
                  }

                  @Override
                  public byte[] parse(InputStream stream) {
                    throw new IllegalStateException("a client reads no requests");
                  }
                },
                usual.getResponseMarshaller())
            .build();
    return ClientCalls.blockingUnaryCall(served.channel, method, CallOptions.DEFAULT, message);
  }

  private static Status failure(Runnable call) {
    StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(failure).isNotNull();
    return failure.getStatus();
  }

  @Test
  void opensOnlyToThoseWhoShowAKey() throws IOException {
    try (ServedRules served = ServedRules.guarded("s3cret").with(API)) {
      RateLimitRequest request = request(descriptor("rule", "api"));
      assertThat(failure(() -> served.client().shouldRateLimit(request)).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(failure(() -> showing(served, "Bearer wrong").shouldRateLimit(request)).getCode())
          .isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(failure(() -> showing(served, "Basic s3cret").shouldRateLimit(request)).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(
              showing(served, "Bearer s3cret")
                  .shouldRateLimit(request)
                  .getStatuses(0)
                  .getLimitRemaining())
          .as("nothing was taken before")
          .isEqualTo(2);
      assertThat(served.health()).isEqualTo(ServingStatus.SERVING);
    }
  }

  private static RateLimitServiceGrpc.RateLimitServiceBlockingStub showing(
      ServedRules served, String authorization) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), authorization);
    return served.client().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }
}
