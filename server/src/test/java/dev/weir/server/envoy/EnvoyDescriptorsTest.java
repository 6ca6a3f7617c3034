package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.fields;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.AcquireRequest;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.RuleSpec;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which rules a descriptor selects, and by which key it is counted. */
@Timeout(300)
final class EnvoyDescriptorsTest {
  private static final RuleSpec API = inAMinute("api", 3);

  private static RuleSpec covering(String name, long limit, String path, KeyPart... keyBy) {
    return inAMinute(name, limit).covering(Coverage.of(PathPattern.of(path)).keyBy(List.of(keyBy)));
  }

  @Test
  void refusesWhatMoreRulesCoverThanCanBeDecided() throws IOException {
    try (ServedRules served = ServedRules.start()) {
      for (int i = 0; i <= AcquireRequest.MAX_PARTS; i++) {
        served.with(covering("r" + i, 5, "/many/**", new KeyPart.Global()));
      }
      assertThat(served.ask(descriptor("path", "/many/1")).getOverallCode())
          .isEqualTo(Code.OVER_LIMIT);
    }
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
    RuleSpec orders =
        covering("orders", 2, "/orders/**", new KeyPart.Ip(), new KeyPart.Header("X-Api-Key"));
    RuleSpec writes =
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
      for (String method : List.of("post", "Post")) {
        assertThat(served.ask(of(method, "/other", "192.0.2.2", "k3")).getOverallCode())
            .as(method)
            .isEqualTo(Code.OVER_LIMIT);
      }
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
                  descriptor("rule", "unknown"),
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
}
