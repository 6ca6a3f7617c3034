package dev.weir.server.grpc;

import static dev.weir.server.grpc.ServedRules.descriptor;
import static dev.weir.server.grpc.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.FixedWindow;
import dev.weir.core.limits.TokenBucket;
import dev.weir.engine.rules.Allowance;
import dev.weir.engine.rules.Coverage;
import dev.weir.engine.rules.KeyPart;
import dev.weir.engine.rules.PathPattern;
import dev.weir.engine.rules.Rule;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Envoy's rate limit service, asked by a real client with the published classes. */
final class EnvoyServiceTest {
  private static final Rule.Terms API = inAMinute("api", 3);

  private static Rule.Terms inAMinute(String name, long limit) {
    return Rule.Terms.of(name, Allowance.Rate.of(FixedWindow.of(limit, Duration.ofMinutes(1))));
  }

  private static Rule.Terms covering(String name, long limit, String path, KeyPart... keyBy) {
    return inAMinute(name, limit).covering(Coverage.of(PathPattern.of(path)).keyBy(List.of(keyBy)));
  }

  @Test
  void letsPassUntilTheRuleThatIsNamedIsSpent() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitDescriptor one = descriptor("rule", "api", "user", "101");
      assertThat(List.of(served.ask(one), served.ask(one), served.ask(one), served.ask(one)))
          .extracting(RateLimitResponse::getOverallCode)
          .containsExactly(Code.OK, Code.OK, Code.OK, Code.OVER_LIMIT);
      assertThat(served.ask(descriptor("rule", "api", "user", "102")).getOverallCode())
          .isEqualTo(Code.OK);
    }
  }

  @Test
  void tellsHowTheLimitStands() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      DescriptorStatus status = served.ask(descriptor("rule", "api")).getStatuses(0);
      assertThat(status.getCode()).isEqualTo(Code.OK);
      assertThat(status.getLimitRemaining()).isEqualTo(2);
      assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(60);
      assertThat(status.getCurrentLimit().getName()).isEqualTo("api");
      assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
      assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
    }
  }

  @Test
  void namesNoUnitForWhatHasNone() throws IOException {
    Rule.Terms odd =
        Rule.Terms.of("odd", Allowance.Rate.of(FixedWindow.of(3, Duration.ofSeconds(90))));
    Rule.Terms bucket =
        Rule.Terms.of("bucket", Allowance.Rate.of(TokenBucket.of(5, Duration.ofSeconds(5))));
    try (ServedRules served = ServedRules.start().with(odd, bucket)) {
      assertThat(
              served.ask(descriptor("rule", "odd"), descriptor("rule", "bucket")).getStatusesList())
          .extracting(status -> status.getCurrentLimit().getUnit())
          .containsExactly(Unit.UNKNOWN, Unit.UNKNOWN);
    }
  }

  @Test
  void addsTheFieldsOfTheAnswer() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitRequest three =
          request(descriptor("rule", "api")).toBuilder().setHitsAddend(3).build();
      assertThat(fields(served.client().shouldRateLimit(three)))
          .containsEntry("RateLimit-Policy", "\"api\";q=3;w=60")
          .containsEntry("RateLimit", "\"api\";r=0;t=60")
          .doesNotContainKey("Retry-After");
      assertThat(fields(served.ask(descriptor("rule", "api"))))
          .containsEntry("RateLimit", "\"api\";r=0;t=60")
          .containsEntry("Retry-After", "60");
    }
  }

  private static Map<String, String> fields(RateLimitResponse response) {
    return response.getResponseHeadersToAddList().stream()
        .collect(Collectors.toMap(HeaderValue::getKey, HeaderValue::getValue));
  }

  @Test
  void answersInTheOrderOfTheDescriptors() throws IOException {
    try (ServedRules served = ServedRules.start().with(API, inAMinute("spare", 10))) {
      RateLimitResponse response =
          served.ask(
              descriptor("rule", "spare"),
              descriptor("generic_key", "nobody knows it"),
              descriptor("rule", "api"),
              descriptor("rule", "spare", "user", "1"));
      assertThat(response.getStatusesList())
          .extracting(status -> status.getCurrentLimit().getName())
          .containsExactly("spare", "", "api", "spare");
      assertThat(response.getStatusesList())
          .extracting(DescriptorStatus::getLimitRemaining)
          .containsExactly(9, 0, 2, 9);
    }
  }

  @Test
  void takesOfAllOrOfNone() throws IOException {
    try (ServedRules served = ServedRules.start().with(API, inAMinute("one", 1))) {
      RateLimitDescriptor api = descriptor("rule", "api");
      RateLimitDescriptor one = descriptor("rule", "one");
      served.ask(one);
      RateLimitResponse refused = served.ask(api, one);
      assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(refused.getStatusesList())
          .extracting(DescriptorStatus::getCode)
          .containsExactly(Code.OK, Code.OVER_LIMIT);
      assertThat(served.ask(api).getStatuses(0).getLimitRemaining()).isEqualTo(2);
    }
  }

  @Test
  void addsUpWhatIsAskedTwice() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitDescriptor api = descriptor("rule", "api");
      assertThat(served.ask(api, api).getStatuses(1).getLimitRemaining()).isEqualTo(1);
      assertThat(served.ask(api, api).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(served.ask(api, api, api, api).getStatusesList())
          .as("more than could ever be granted")
          .extracting(DescriptorStatus::getCode)
          .containsOnly(Code.OVER_LIMIT);
      assertThat(served.ask(api).getStatuses(0).getLimitRemaining()).isZero();
    }
  }

  @Test
  void countsTheHitsOfTheCallUnlessTheDescriptorHasItsOwn() throws IOException {
    try (ServedRules served = ServedRules.start().with(inAMinute("a", 100), inAMinute("b", 100))) {
      RateLimitRequest request =
          request(descriptor("rule", "a"), hits(descriptor("rule", "b"), 7)).toBuilder()
              .setHitsAddend(5)
              .build();
      assertThat(served.client().shouldRateLimit(request).getStatusesList())
          .extracting(DescriptorStatus::getLimitRemaining)
          .containsExactly(95, 93);
    }
  }

  private static RateLimitDescriptor hits(RateLimitDescriptor descriptor, long hits) {
    return descriptor.toBuilder().setHitsAddend(UInt64Value.of(hits)).build();
  }

  @Test
  void refusesMoreThanCouldEverBeGrantedAndTakesNothing() throws IOException {
    try (ServedRules served = ServedRules.start().with(API, inAMinute("other", 10))) {
      for (long tooMany : new long[] {4, Long.MAX_VALUE, -1}) {
        RateLimitResponse response =
            served.ask(hits(descriptor("rule", "api"), tooMany), descriptor("rule", "other"));
        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(response.getStatusesList())
            .extracting(DescriptorStatus::getCode)
            .containsExactly(Code.OVER_LIMIT, Code.OK);
      }
      assertThat(served.ask(descriptor("rule", "api"), descriptor("rule", "other")))
          .extracting(response -> response.getStatuses(0).getLimitRemaining())
          .isEqualTo(2);
    }
  }

  @Test
  void looksOnlyIfADescriptorHasNoHits() throws IOException {
    try (ServedRules served = ServedRules.start().with(API, inAMinute("other", 10))) {
      RateLimitDescriptor look = hits(descriptor("rule", "api"), 0);
      assertThat(served.ask(look).getStatuses(0).getLimitRemaining()).isEqualTo(3);
      served.ask(hits(descriptor("rule", "api"), 3));
      RateLimitResponse spent = served.ask(look, descriptor("rule", "other"));
      assertThat(spent.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(spent.getStatuses(1).getLimitRemaining()).as("nothing taken").isEqualTo(10);
    }
  }

  @Test
  void givesBackNegativeHits() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitDescriptor api = descriptor("rule", "api");
      served.ask(hits(api, 3));
      RateLimitResponse response = served.ask(negative(hits(api, 2)));
      assertThat(response.getOverallCode()).isEqualTo(Code.OK);
      assertThat(response.getStatuses(0).getLimitRemaining()).isEqualTo(2);
      assertThat(served.ask(negative(hits(api, 1_000))).getStatuses(0).getLimitRemaining())
          .as("never more than the limit")
          .isEqualTo(3);
    }
  }

  /** As a newer Envoy sends it. */
  private static RateLimitDescriptor negative(RateLimitDescriptor descriptor) {
    return descriptor.toBuilder()
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(4, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build())
        .build();
  }

  @Test
  void countsByAllEntriesThatDoNotNameTheRule() throws IOException {
    try (ServedRules served = ServedRules.start().with(inAMinute("api", 1))) {
      List<RateLimitDescriptor> different =
          List.of(
              descriptor("rule", "api"),
              descriptor("rule", "api", "a", "b"),
              descriptor("rule", "api", "a", "b", "c", "d"),
              descriptor("rule", "api", "a", "b|c=d"),
              descriptor("rule", "api", "a=b|c", "d"),
              descriptor("rule", "api", "a", "b\\|c=d"),
              descriptor("rule", "api", "a", "", "b", ""),
              descriptor("rule", "api", "rule", "api"),
              descriptor("rule", "api", "a", "x".repeat(1_000)),
              descriptor("rule", "api", "a", "x".repeat(1_001)));
      for (RateLimitDescriptor each : different) {
        assertThat(served.ask(each).getOverallCode()).as("%s", each).isEqualTo(Code.OK);
        assertThat(served.ask(each).getOverallCode()).as("%s", each).isEqualTo(Code.OVER_LIMIT);
      }
    }
  }

  @Test
  void asksTheRulesThatCoverTheRequestThatADescriptorTellsOf() throws IOException {
    Rule.Terms orders =
        covering("orders", 2, "/orders/**", new KeyPart.Ip(), new KeyPart.Header("X-Api-Key"));
    Rule.Terms writes =
        covering("writes", 1, "/**", new KeyPart.Global())
            .covering(
                Coverage.of(PathPattern.of("/**"))
                    .methods(Set.of("POST"))
                    .keyBy(List.of(new KeyPart.Global())));
    try (ServedRules served = ServedRules.start().with(orders, writes)) {
      RateLimitResponse get = served.ask(of("GET", "/orders/7?page=2", "192.0.2.1", "k1"));
      assertThat(get.getStatuses(0).getCurrentLimit().getName()).isEqualTo("orders");
      assertThat(get.getStatuses(0).getLimitRemaining()).isEqualTo(1);
      RateLimitResponse post = served.ask(of("POST", "/orders/8", "192.0.2.1", "k1"));
      assertThat(fields(post).get("RateLimit-Policy"))
          .contains("\"orders\"")
          .contains("\"writes\"");
      assertThat(served.ask(of("POST", "/orders/9", "192.0.2.2", "k1")).getStatuses(0))
          .as("the other of the two rules")
          .extracting(status -> status.getCurrentLimit().getName(), DescriptorStatus::getCode)
          .containsExactly("writes", Code.OVER_LIMIT);
      assertThat(served.ask(of("GET", "/orders", "192.0.2.1", "k1")).getOverallCode())
          .isEqualTo(Code.OVER_LIMIT);
      assertThat(served.ask(of("GET", "/orders", "192.0.2.1", "k2")).getOverallCode())
          .isEqualTo(Code.OK);
      assertThat(served.ask(of("GET", "/users", "192.0.2.1", "k1")).getOverallCode())
          .isEqualTo(Code.OK);
    }
  }

  private static RateLimitDescriptor of(String method, String path, String address, String key) {
    return descriptor("method", method, "path", path, "remote_address", address, "x-api-key", key);
  }

  @Test
  void takesAnEntryWithThePrefixForAHeader() throws IOException {
    try (ServedRules served =
        ServedRules.start().with(covering("api", 1, "/**", new KeyPart.Header("Path")))) {
      assertThat(served.ask(descriptor("path", "/a", "header:path", "x")).getOverallCode())
          .isEqualTo(Code.OK);
      assertThat(served.ask(descriptor("path", "/b", "header:path", "x")).getOverallCode())
          .isEqualTo(Code.OVER_LIMIT);
    }
  }

  @Test
  void refusesAPathThatCouldBeReadInTwoWays() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitResponse response =
          served.ask(descriptor("rule", "api"), descriptor("path", "/public/..%2Fadmin"));
      assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(response.getStatuses(1).getCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(served.ask(descriptor("rule", "api")).getStatuses(0).getLimitRemaining())
          .as("nothing was taken of the other")
          .isEqualTo(2);
    }
  }

  @Test
  void letsPassWhatSpeaksOfNoRuleAndCountsIt() throws IOException {
    try (ServedRules served = ServedRules.start().with(API.active(false))) {
      assertThat(
              served.ask(
                  descriptor("rule", "nobody made it"),
                  descriptor("generic_key", "x"),
                  descriptor(),
                  descriptor("rule", "api")))
          .satisfies(
              response -> {
                assertThat(response.getOverallCode()).isEqualTo(Code.OK);
                assertThat(response.getStatusesList())
                    .extracting(DescriptorStatus::getCode)
                    .containsOnly(Code.OK)
                    .hasSize(4);
                assertThat(response.getResponseHeadersToAddList()).isEmpty();
              });
      assertThat(counted(served, "rate_limiter_envoy_unmatched_descriptors", "")).isEqualTo(3);
      assertThat(counted(served, "rate_limiter_envoy_calls", "ok")).isEqualTo(1);
    }
  }

  private static double counted(ServedRules served, String name, String outcome) {
    return served.metrics.scrape(name::equals).stream()
        .flatMap(snapshot -> ((CounterSnapshot) snapshot).getDataPoints().stream())
        .filter(point -> outcome.isEmpty() || outcome.equals(point.getLabels().get("outcome")))
        .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
        .sum();
  }

  @Test
  void leavesOutRulesWhoseEndNobodyTells() throws IOException {
    Rule.Terms together =
        Rule.Terms.of("together", new Allowance.Together(Concurrency.of(1, Duration.ofMinutes(1))));
    try (ServedRules served = ServedRules.start().with(together)) {
      for (int i = 0; i < 3; i++) {
        assertThat(served.ask(descriptor("rule", "together")).getOverallCode()).isEqualTo(Code.OK);
      }
    }
  }

  @Test
  void refusesNothingInTheShadow() throws IOException {
    try (ServedRules served =
        ServedRules.start().with(inAMinute("shadow", 1).mode(Rule.Mode.SHADOW))) {
      RateLimitDescriptor shadow = descriptor("rule", "shadow");
      assertThat(
              List.of(
                  served.ask(shadow),
                  served.ask(shadow, shadow),
                  served.ask(hits(shadow, 5)),
                  served.ask(hits(shadow, 0)),
                  served.ask(negative(shadow))))
          .extracting(RateLimitResponse::getOverallCode)
          .containsOnly(Code.OK);
    }
  }

  @Test
  void refusesCallsThatAreTooLargeOrAskNothing() throws IOException {
    try (ServedRules served = ServedRules.start().with(API)) {
      RateLimitDescriptor api = descriptor("rule", "api");
      RateLimitDescriptor[] many =
          IntStream.rangeClosed(0, DescriptorReader.MOST_DESCRIPTORS)
              .mapToObj(i -> descriptor("rule", "api", "user", "" + i))
              .toArray(RateLimitDescriptor[]::new);
      RateLimitDescriptor.Builder wide = api.toBuilder();
      for (int i = 0; i < DescriptorReader.MOST_ENTRIES; i++) {
        wide.addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("k" + i));
      }
      assertThat(failure(() -> served.ask()).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(failure(() -> served.ask(many)).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(failure(() -> served.ask(wide.build())).getCode())
          .isEqualTo(Status.Code.INVALID_ARGUMENT);
      String long1 = "x".repeat(EnvoyServer.LARGEST_MESSAGE);
      assertThat(failure(() -> served.ask(descriptor("rule", "api", "k", long1))).getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(served.ask(api).getOverallCode()).as("it goes on").isEqualTo(Code.OK);
    }
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
      assertThat(health(served)).isEqualTo(ServingStatus.SERVING);
    }
  }

  private static RateLimitServiceGrpc.RateLimitServiceBlockingStub showing(
      ServedRules served, String authorization) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), authorization);
    return served.client().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  static ServingStatus health(ServedRules served) {
    return HealthGrpc.newBlockingStub(served.channel)
        .check(
            HealthCheckRequest.newBuilder().setService(RateLimitServiceGrpc.SERVICE_NAME).build())
        .getStatus();
  }

  @Test
  void letsNotOneTooManyPassThroughTwoNodesWithOneStore() throws Exception {
    int limit = 500;
    ServedRules.Stores stores = ServedRules.Stores.inMemory();
    try (ServedRules one = ServedRules.sharing(stores).with(inAMinute("api", limit));
        ServedRules other = ServedRules.sharing(stores).with(inAMinute("api", limit));
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Code>> answers = new ArrayList<>();
      for (int i = 0; i < 2 * limit; i++) {
        ServedRules node = i % 2 == 0 ? one : other;
        answers.add(callers.submit(() -> node.ask(descriptor("rule", "api")).getOverallCode()));
      }
      int passed = 0;
      for (Future<Code> answer : answers) {
        passed += answer.get() == Code.OK ? 1 : 0;
      }
      assertThat(passed).isEqualTo(limit);
    }
  }

  @Test
  void answersManyStreamsOfOneConnectionExactly() throws Exception {
    int limit = 300;
    try (ServedRules served =
            ServedRules.start().with(inAMinute("user", limit), inAMinute("all", 2L * limit));
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Code>> answers = new ArrayList<>();
      for (int i = 0; i < 5 * limit; i++) {
        String user = "u" + i % 3;
        answers.add(
            callers.submit(
                () ->
                    served
                        .ask(descriptor("rule", "user", "user", user), descriptor("rule", "all"))
                        .getOverallCode()));
      }
      int passed = 0;
      for (Future<Code> answer : answers) {
        passed += answer.get() == Code.OK ? 1 : 0;
      }
      assertThat(passed).isEqualTo(2 * limit);
    }
  }
}
