package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Failover;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** One of the stores that rules need is unavailable, and the other is not. */
final class RuleOutageTest extends RuleEvaluatorScene {
  private static final CircuitBreaker.Settings BREAKER =
      new CircuitBreaker.Settings(1, Duration.ofSeconds(1), Duration.ofSeconds(1));

  private boolean areCountsGone;
  private boolean areLeasesGone;

  private RuleEvaluator evaluator() {
    LimitStore memory = new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000);
    LimitStore counts =
        Failover.of(
                (LimitStore)
                    reached(LimitStore.class, LimitStore.class, memory, () -> areCountsGone))
            .breaker(BREAKER)
            .clock(() -> Micros.instant(nowMicros.get()))
            .build();
    LeaseStore held =
        LeaseFailover.of(
                (LeaseStore)
                    reached(LeaseStore.class, LeaseStore.class, leases, () -> areLeasesGone))
            .breaker(BREAKER)
            .clock(() -> Micros.instant(nowMicros.get()))
            .build();
    return new RuleEvaluator(
        index,
        new RuleEvaluator.Stores(counts, held, held),
        new RuleObserver() {},
        nowMicros::get,
        () -> Micros.instant(nowMicros.get()));
  }

  /** Returns true if a store is unavailable. */
  @FunctionalInterface
  private interface Outage {
    boolean isNow();
  }

  private static Object reached(Class<?> face, Class<?> type, Object store, Outage outage) {
    return Proxy.newProxyInstance(
        face.getClassLoader(),
        new Class<?>[] {face},
        (proxy, method, arguments) -> {
          if (outage.isNow()) {
            throw new StoreException(StoreException.Outcome.UNKNOWN, "gone");
          }
          try {
            return type.getMethod(method.getName(), method.getParameterTypes())
                .invoke(store, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  @Test
  void closedRuleDoesNotPassByItsQueueWhileItsCountsAreGone() {
    make(rule("queued", "/**", queued(1, 5, 100)));
    RuleEvaluator outage = evaluator();
    areCountsGone = true;
    for (int i = 0; i < 3; i++) {
      Verdict verdict = outage.decide(get("/a"));
      assertThat(verdict).isInstanceOf(Verdict.Refused.class);
      assertThat(verdict.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
      // Only the first request was sent, and its response was lost.
      assertThat(((Verdict.Refused) verdict).isOutcomeUnknown()).isEqualTo(i == 0);
    }
    areCountsGone = false;
    nowMicros.addAndGet(1_000_000);
    assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Queued.class);
  }

  @Test
  void peekSaysThatClosedRulesAreClosed() {
    make(rule("queued", "/**", queued(1, 5, 100)));
    make(rule("two", "/**", new Quota.Concurrent(Concurrency.of(2, Duration.ofSeconds(30)))));
    make(RuleSpec.of("counted", Quota.Rate.of(FixedWindow.of(1, Duration.ofSeconds(30)))));
    RuleEvaluator outage = evaluator();
    areCountsGone = true;
    for (List<RuleCheck> checks :
        List.of(List.of(check("queued")), List.of(check("counted"), check("two")))) {
      Verdict.Decided peeked = outage.preview(checks);
      assertThat(peeked).isInstanceOf(Verdict.Refused.class);
      assertThat(peeked.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    }
  }

  @Test
  void peekPassesAnOpenRuleWhoseLeasesAreGone() {
    make(
        rule("open", "/**", new Quota.Concurrent(Concurrency.of(2, Duration.ofSeconds(30))))
            .onStoreFailure(OnStoreFailure.OPEN));
    make(rule("closed", "/**", new Quota.Concurrent(Concurrency.of(2, Duration.ofSeconds(30)))));
    RuleEvaluator outage = evaluator();
    areLeasesGone = true;
    Verdict.Decided peeked = outage.preview(List.of(check("open")));
    assertThat(peeked).isInstanceOf(Verdict.Passed.class);
    assertThat(peeked.mode()).isEqualTo(AcquireResult.Mode.OPEN);
    assertThatThrownBy(() -> outage.preview(List.of(check("closed"))))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void shadowRuleWhoseStoreIsGoneIsUndecided() {
    make(rule("enforced", "/**", rate(10)).onStoreFailure(OnStoreFailure.OPEN));
    make(rule("counted", "/**", rate(10)).mode(RuleSpec.Mode.SHADOW));
    make(
        rule("leased", "/**", new Quota.Concurrent(Concurrency.of(9, Duration.ofSeconds(30))))
            .mode(RuleSpec.Mode.SHADOW));
    RuleEvaluator outage = evaluator();
    assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    areCountsGone = true;
    areLeasesGone = true;
    for (int i = 0; i < 2; i++) {
      assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    }
    assertThat(List.of(tallies.get("counted"), tallies.get("leased")))
        .containsOnly(
            Map.of(RuleCounters.Kind.SHADOW_ALLOWED, 1, RuleCounters.Kind.SHADOW_UNDECIDED, 2));
  }

  private RuleCheck check(String rule) {
    return new RuleCheck(Objects.requireNonNull(index.find(rule)), "k", 1);
  }

  @Test
  void leaseIsRenewedAsSoonAsItsStoreIsBack() {
    make(rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)))));
    RuleEvaluator outage = evaluator();
    assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    areLeasesGone = true;
    for (int i = 0; i < 2; i++) {
      nowMicros.addAndGet(10_000_000);
      outage.renewLeases();
    }
    areLeasesGone = false;
    nowMicros.addAndGet(9_000_000);
    outage.renewLeases();
    nowMicros.addAndGet(2_000_000);
    assertThat(outage.decide(get("/a"))).isInstanceOf(Verdict.Refused.class);
  }
}
