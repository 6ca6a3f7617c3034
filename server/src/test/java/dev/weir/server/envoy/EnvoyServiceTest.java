package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.fields;
import static dev.weir.server.envoy.ServedRules.hits;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static dev.weir.server.envoy.ServedRules.negative;
import static dev.weir.server.envoy.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Concurrency;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Envoy's rate limit service, called by a real client with the published classes. */
@Timeout(300)
final class EnvoyServiceTest {
  private static final RuleSpec API = inAMinute("api", 3);

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
    RuleSpec odd = RuleSpec.of("odd", Quota.Rate.of(FixedWindow.of(3, Duration.ofSeconds(90))));
    RuleSpec bucket =
        RuleSpec.of("bucket", Quota.Rate.of(TokenBucket.of(5, Duration.ofSeconds(5))));
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

  @Test
  void answersInTheOrderOfTheDescriptors() throws IOException {
    try (ServedRules served = ServedRules.start().with(API, inAMinute("spare", 10))) {
      RateLimitResponse response =
          served.ask(
              descriptor("rule", "spare"),
              descriptor("generic_key", "unknown"),
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
  void leavesOutRulesWithLeases() throws IOException {
    RuleSpec together =
        RuleSpec.of("together", new Quota.Concurrent(Concurrency.of(1, Duration.ofMinutes(1))));
    try (ServedRules served = ServedRules.start().with(together)) {
      for (int i = 0; i < 3; i++) {
        assertThat(served.ask(descriptor("rule", "together")).getOverallCode()).isEqualTo(Code.OK);
      }
    }
  }

  @Test
  void refusesNothingInTheShadow() throws IOException {
    try (ServedRules served =
        ServedRules.start().with(inAMinute("shadow", 1).mode(RuleSpec.Mode.SHADOW))) {
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
