package dev.weir.server.envoy;

import static dev.weir.server.envoy.ServedRules.descriptor;
import static dev.weir.server.envoy.ServedRules.fields;
import static dev.weir.server.envoy.ServedRules.hits;
import static dev.weir.server.envoy.ServedRules.inAMinute;
import static dev.weir.server.envoy.ServedRules.negative;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.internal.OpenWhenFull;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.RuleSpec;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What Envoy is answered while the store of limits fails. To an error it does what it is configured
 * to do, and lets requests pass by default.
 */
@Timeout(300)
final class EnvoyStoreFailureTest {
  @Test
  void aFullStoreDoesNotOpenRulesThatAreClosed() throws IOException {
    int maxKeys = 1_000;
    LimitStore full =
        new OpenWhenFull(
            new MemoryLimitStore(() -> Micros.instant(noon()), maxKeys),
            EnvoyStoreFailureTest::noon);
    try (ServedRules served = served(full)) {
      for (int i = 0; i < maxKeys; i++) {
        served.ask(descriptor("rule", "closed", "user", "u" + i));
      }
      RateLimitResponse refused = served.ask(descriptor("rule", "closed", "user", "new"));
      assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(refused.getStatuses(0).getCode()).isEqualTo(Code.OVER_LIMIT);
      assertThat(refused.getStatuses(0).getCurrentLimit().getName()).isEqualTo("closed");
      assertThat(fields(refused)).containsEntry("Retry-After", "1");
      assertThat(served.ask(descriptor("rule", "open", "user", "new")).getOverallCode())
          .isEqualTo(Code.OK);
      // Known keys are counted as ever.
      assertThat(served.ask(descriptor("rule", "closed", "user", "u7")).getOverallCode())
          .isEqualTo(Code.OK);
    }
  }

  @Test
  void whateverFailsRulesThatAreNotOpenRefuse() throws IOException {
    for (StoreException.Outcome outcome : StoreException.Outcome.values()) {
      try (ServedRules served = served(failing(outcome))) {
        RateLimitDescriptor open = descriptor("rule", "open");
        for (String name : List.of("closed", "local", "fallback")) {
          RateLimitDescriptor rule = descriptor("rule", name);
          assertThat(served.ask(rule).getOverallCode()).as(name).isEqualTo(Code.OVER_LIMIT);
          assertThat(served.ask(open, rule).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
          assertThat(served.ask(hits(rule, 0)).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
          assertThat(served.ask(negative(hits(open, 1)), rule).getOverallCode())
              .isEqualTo(Code.OVER_LIMIT);
        }
        assertThat(served.ask(open).getOverallCode()).isEqualTo(Code.OK);
        assertThat(served.ask(hits(open, 0)).getOverallCode()).isEqualTo(Code.OK);
        assertThat(served.ask(descriptor("path", "/a%2fb"), negative(hits(open, 1))))
            .extracting(RateLimitResponse::getOverallCode)
            .isEqualTo(Code.OVER_LIMIT);
      }
    }
  }

  /** There is nothing to let pass, and whether it was given back matters to the caller. */
  @Test
  void whatCannotBeGivenBackIsAnError() throws IOException {
    try (ServedRules served = served(failing(StoreException.Outcome.UNKNOWN))) {
      assertThatThrownBy(() -> served.ask(negative(hits(descriptor("rule", "closed"), 1))))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              failure ->
                  assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    }
  }

  private static long noon() {
    return Micros.ceil(ServedRules.NOON);
  }

  private static ServedRules served(LimitStore store) throws IOException {
    return ServedRules.sharing(
            new ServedRules.Stores(store, new MemoryLeaseStore(() -> Micros.instant(noon()))))
        .with(
            inAMinute("closed", 2).onStoreFailure(OnStoreFailure.CLOSED),
            inAMinute("local", 2).onStoreFailure(OnStoreFailure.LOCAL),
            inAMinute("fallback", 2).onStoreFailure(OnStoreFailure.FALLBACK),
            inAMinute("open", 2).onStoreFailure(OnStoreFailure.OPEN),
            inAMinute("shadow", 2).mode(RuleSpec.Mode.SHADOW));
  }

  /** A store of which every call fails. */
  private static LimitStore failing(StoreException.Outcome outcome) {
    return (LimitStore)
        Proxy.newProxyInstance(
            EnvoyStoreFailureTest.class.getClassLoader(),
            new Class<?>[] {LimitStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              if (method.getName().equals("hasOtherModes")) {
                return true;
              }
              throw new StoreException(outcome, "it does not answer");
            });
  }
}
