package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.hits;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static dev.weir.server.envoy.ServedRules.negative;
import static dev.weir.server.envoy.ServedRules.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.RuleSpec;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import java.io.IOException;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hits of a descriptor: several, none, or a negative number. */
@Timeout(300)
final class EnvoyHitsTest {
  private static final RuleSpec API = inAMinute("api", 3);

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

  /** The clock of the node is at noon. */
  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void givesBackByTheClockOfTheStore(long aheadSeconds) throws IOException {
    InstantSource clock = () -> ServedRules.NOON.plusSeconds(aheadSeconds);
    ServedRules.Stores stores =
        new ServedRules.Stores(new MemoryLimitStore(clock, 100), new MemoryLeaseStore(clock));
    try (ServedRules served = ServedRules.sharing(stores).with(API)) {
      RateLimitDescriptor two = hits(descriptor("rule", "api"), 2);
      assertThat(served.ask(two).getStatuses(0).getLimitRemaining()).isEqualTo(1);
      assertThat(served.ask(negative(two)).getStatuses(0).getLimitRemaining()).isEqualTo(3);
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
}
