package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static dev.weir.server.envoy.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.util.Collections;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that would take many times as much memory as the bytes that arrive. */
@Timeout(300)
final class EnvoyMessagesTest {
  private static final RateLimitDescriptor API = descriptor("rule", "api");
  private static final int MANY = 20_000;

  @Test
  void messagesThatAreCompressedAreRefused() throws IOException {
    try (ServedRules served = ServedRules.start().with(inAMinute("api", 3))) {
      Status failure =
          failure(() -> served.client().withCompression("gzip").shouldRateLimit(request(API)));
      assertThat(failure.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(served.ask(API).getStatuses(0).getLimitRemaining()).isEqualTo(2);
    }
  }

  @Test
  void messagesOfVeryManyFieldsAreNotParsed() throws IOException {
    UnknownFieldSet unknown = varints(MANY);
    UnknownFieldSet group =
        UnknownFieldSet.newBuilder()
            .addField(9, UnknownFieldSet.Field.newBuilder().addGroup(unknown).build())
            .build();
    RateLimitDescriptor.Entry entry = API.getEntries(0);
    try (ServedRules served = ServedRules.start().with(inAMinute("api", 3))) {
      for (RateLimitRequest flood :
          new RateLimitRequest[] {
            with(request -> request.setUnknownFields(unknown)),
            with(request -> request.setUnknownFields(group)),
            request(API.toBuilder().setUnknownFields(unknown).build()),
            request(
                API.toBuilder().setEntries(0, entry.toBuilder().setUnknownFields(unknown)).build()),
            request(
                API.toBuilder()
                    .addAllEntries(
                        Collections.nCopies(MANY, RateLimitDescriptor.Entry.getDefaultInstance()))
                    .build()),
            request(Collections.nCopies(MANY, API).toArray(RateLimitDescriptor[]::new))
          }) {
        Status failure = failure(() -> served.client().shouldRateLimit(flood));
        assertThat(failure.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(failure.getDescription()).contains("more than 10000 fields");
      }
      assertThat(served.ask(API).getStatuses(0).getLimitRemaining()).isEqualTo(2);
    }
  }

  /** A newer Envoy sends fields that are not known here, and as many entries as are allowed. */
  @Test
  void theLargestRequestsThatAreDecidedAreParsed() throws IOException {
    RateLimitDescriptor.Builder largest = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < DescriptorReader.MAX_ENTRIES; i++) {
      largest.addEntries(
          RateLimitDescriptor.Entry.newBuilder()
              .setKey(i == 0 ? "rule" : "k" + i)
              .setValue(i == 0 ? "api" : "v".repeat(1_000))
              .setUnknownFields(varints(2)));
    }
    try (ServedRules served = ServedRules.start().with(inAMinute("api", 1_000))) {
      assertThat(
              served
                  .ask(
                      Collections.nCopies(DescriptorReader.MAX_DESCRIPTORS, largest.build())
                          .toArray(RateLimitDescriptor[]::new))
                  .getOverallCode())
          .isEqualTo(Code.OK);
    }
  }

  @Test
  void healthIsNotAskedForWithLongMessages() throws IOException {
    try (ServedRules served = ServedRules.start()) {
      HealthCheckRequest flood =
          HealthCheckRequest.newBuilder().setUnknownFields(varints(MANY)).build();
      assertThat(failure(() -> HealthGrpc.newBlockingStub(served.channel).check(flood)).getCode())
          .isEqualTo(Status.Code.NOT_FOUND);
      assertThat(served.health()).isEqualTo(ServingStatus.SERVING);
    }
  }

  private static RateLimitRequest with(UnaryOperator<RateLimitRequest.Builder> change) {
    return change.apply(request(API).toBuilder()).build();
  }

  private static UnknownFieldSet varints(int count) {
    UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
    for (int i = 0; i < count; i++) {
      field.addVarint(i);
    }
    return UnknownFieldSet.newBuilder()
        .addField(9, field.build())
        .addField(
            10, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build())
        .build();
  }

  private static Status failure(Runnable call) {
    StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(failure).isNotNull();
    return failure.getStatus();
  }
}
