package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Failover;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.LimitStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One node loses responses of the stores, and the same request is repeated on another: the first
 * node must not end a lease that the other has answered with.
 */
final class LostResponsesTest extends RuleEvaluatorScene {
  private static final CircuitBreaker.Settings BREAKER =
      new CircuitBreaker.Settings(1, Duration.ofSeconds(1), Duration.ofSeconds(1));
  private static final RuleEvaluator.Repeat REPEAT =
      new RuleEvaluator.Repeat("id", Duration.ofMinutes(10));

  private final MemoryLimitStore counts =
      new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000);

  /** Operations of the first node that are executed and whose responses are lost. */
  private final Set<String> lost = new HashSet<>();

  /** Operations of the first node that do not reach the store. */
  private final Set<String> cut = new HashSet<>();

  /** Operations of the first node of which the next one is the last that reaches the store. */
  private final Set<String> cutAfterFirst = new HashSet<>();

  private final RuleEvaluator first =
      node(reached(LimitStore.class, counts), reached(LeaseStore.class, leases));
  private final RuleEvaluator second = node(counts, leases);

  private RuleEvaluator node(LimitStore limits, LeaseStore held) {
    LeaseFailover failover =
        LeaseFailover.of(held)
            .breaker(BREAKER)
            .clock(() -> Micros.instant(nowMicros.get()))
            .build();
    return new RuleEvaluator(
        index,
        new RuleEvaluator.Stores(
            Failover.of(limits)
                .breaker(BREAKER)
                .clock(() -> Micros.instant(nowMicros.get()))
                .build(),
            failover,
            failover),
        new RuleObserver() {},
        nowMicros::get,
        () -> Micros.instant(nowMicros.get()));
  }

  private <T> T reached(Class<T> type, T store) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (cut.contains(method.getName())) {
                throw new StoreException(StoreException.Outcome.NONE, "cut");
              }
              if (cutAfterFirst.contains(method.getName())) {
                cut.add(method.getName());
              }
              Object result;
              try {
                result =
                    type.getMethod(method.getName(), method.getParameterTypes())
                        .invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (lost.contains(method.getName())) {
                throw new StoreException(StoreException.Outcome.UNKNOWN, "lost");
              }
              return result;
            }));
  }

  @BeforeEach
  void makeRules() {
    make(
        rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)))),
        rule("other", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(60)))),
        rule("ten", "/**", rate(10)),
        rule("queue", "/**", queued(1, 5, 3_000)));
  }

  private LimitedRule rule(String name) {
    return Objects.requireNonNull(index.find(name));
  }

  private List<RuleCheck> request(String... names) {
    return Arrays.stream(names).map(name -> new RuleCheck(rule(name), "k", 1)).toList();
  }

  private int held(String name) {
    return leases.current(new RuleCheck(rule(name), "k", 1).leaseResource());
  }

  private static Lease lease(Verdict verdict) {
    return ((Verdict.Passed) verdict).ticket().lease().orElseThrow();
  }

  /** The store is back, and the first node does everything that it has put off. */
  private void resume() {
    lost.clear();
    cut.clear();
    nowMicros.addAndGet(1_000_000);
    first.renewLeases();
    first.renewLeases();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "release"})
  void leaseOfARequestThatMayBeCountedIsLeftToItsRepetition(String failing) {
    lost.add("decide");
    cut.add(failing);
    Verdict.Refused refused = (Verdict.Refused) first.decide(request("one", "ten"), REPEAT);
    assertThat(refused.isOutcomeUnknown()).isTrue();
    Verdict repeated = second.decide(request("one", "ten"), REPEAT);
    assertThat(((Verdict.Passed) repeated).isReplayed()).isTrue();
    resume();
    assertThat(held("one")).isOne();
    assertThat(second.decide(request("one"), RuleEvaluator.Repeat.NONE))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(lease(first.decide(request("one", "ten"), REPEAT)).id())
        .isEqualTo(lease(repeated).id());
  }

  @Test
  void callerThatHoldsTheLastPlaceIsNotRefusedWhileNobodyKnowsItsRequest() {
    Verdict granted = first.decide(request("one", "ten"), REPEAT);
    cut.addAll(Set.of("recall", "decide", "probe"));
    for (int i = 0; i < 3; i++) {
      // The first call opens the breaker, the others are not sent.
      assertThatThrownBy(() -> first.decide(request("one", "ten"), REPEAT))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN));
    }
    assertThat(held("one")).isOne();
    resume();
    Verdict repeated = first.decide(request("one", "ten"), REPEAT);
    assertThat(((Verdict.Passed) repeated).isReplayed()).isTrue();
    assertThat(lease(repeated).id()).isEqualTo(lease(granted).id());
  }

  @Test
  void requestWithoutAnIdIsRefusedByALeaseWhileTheCountsAreGone() {
    first.decide(request("one", "ten"), REPEAT);
    cut.addAll(Set.of("recall", "decide", "probe"));
    assertThat(first.decide(request("one", "ten"), RuleEvaluator.Repeat.NONE))
        .isInstanceOf(Verdict.Refused.class);
  }

  @Test
  void requestThatFindsAPlaceIsDecidedWithoutTheCounts() {
    cut.addAll(Set.of("recall", "decide", "probe"));
    Verdict.Refused closed = (Verdict.Refused) first.decide(request("one", "ten"), REPEAT);
    assertThat(closed.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(held("one")).isZero();
  }

  @Test
  void leaseThatIsAcquiredAgainIsGivenBackIfTheRequestMayBeRefunded() {
    first.decide(request("one", "ten"), REPEAT);
    nowMicros.addAndGet(Duration.ofSeconds(31).toNanos() / 1_000);
    cutAfterFirst.add("recall");
    assertThatThrownBy(() -> first.decide(request("one", "ten"), REPEAT))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.outcome()).isEqualTo(StoreException.Outcome.UNKNOWN));
    assertThat(held("one")).isZero();
    cutAfterFirst.clear();
    resume();
    assertThat(((Verdict.Passed) first.decide(request("one", "ten"), REPEAT)).isReplayed())
        .isTrue();
  }

  @Test
  void leaseOfARequestThatMayBeCountedAndIsNotRepeatedExpires() {
    lost.add("decide");
    assertThat(first.decide(request("one", "ten"), REPEAT)).isInstanceOf(Verdict.Refused.class);
    resume();
    assertThat(held("one")).isOne();
    nowMicros.addAndGet(30_000_000);
    assertThat(held("one")).isZero();
  }

  @Test
  void leaseOfARequestWithoutAnIdEndsBecauseNoCallerKnowsIt() {
    lost.add("decide");
    assertThat(first.decide(request("one", "ten"), RuleEvaluator.Repeat.NONE))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(held("one")).isZero();
  }

  @Test
  void leaseOfARequestThatWasNotCountedEnds() {
    cut.add("decide");
    Verdict.Refused refused = (Verdict.Refused) first.decide(request("one", "ten"), REPEAT);
    assertThat(refused.isOutcomeUnknown()).isFalse();
    assertThat(held("one")).isZero();
  }

  /** What was taken must not be called nothing: the lease blocks its place until it is ended. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void leaseThatMayHaveBeenGrantedIsUnknown(boolean isRepeatable) {
    lost.add("acquire");
    Verdict.Refused refused =
        (Verdict.Refused)
            first.decide(request("one"), isRepeatable ? REPEAT : RuleEvaluator.Repeat.NONE);
    assertThat(held("one")).isOne();
    assertThat(refused.isOutcomeUnknown()).isTrue();
    resume();
    cut.add("acquire");
    assertThat(((Verdict.Refused) first.decide(request("one"), REPEAT)).isOutcomeUnknown())
        .isFalse();
  }

  /** The first request is counted, whatever becomes of its repetition. */
  @Test
  void repetitionThatCannotRenewItsLeaseIsUnknown() {
    assertThat(second.decide(request("one", "ten"), REPEAT)).isInstanceOf(Verdict.Passed.class);
    cut.add("renew");
    Verdict.Refused refused = (Verdict.Refused) first.decide(request("one", "ten"), REPEAT);
    assertThat(refused.isUndecided()).isTrue();
    assertThat(refused.isOutcomeUnknown()).isTrue();
  }

  @Test
  void leaseOfARepetitionWhoseResponseWasLostIsNotEnded() {
    assertThat(second.decide(request("one", "ten"), REPEAT)).isInstanceOf(Verdict.Passed.class);
    nowMicros.addAndGet(30_000_000);
    lost.add("acquire");
    assertThat(first.decide(request("one", "ten"), REPEAT)).isInstanceOf(Verdict.Refused.class);
    assertThat(second.decide(request("one", "ten"), REPEAT)).isInstanceOf(Verdict.Passed.class);
    resume();
    assertThat(held("one")).isOne();
  }

  /** The repetition takes the lease again, is refused by the other rule, and cannot give back. */
  @Test
  void leaseThatARefusedRepetitionCannotGiveBackIsNotEndedLater() {
    assertThat(second.decide(request("other", "one", "ten"), REPEAT))
        .isInstanceOf(Verdict.Passed.class);
    nowMicros.addAndGet(60_000_000);
    Verdict.Passed blocking =
        (Verdict.Passed) second.decide(request("one"), RuleEvaluator.Repeat.NONE);
    cut.add("release");
    assertThat(first.decide(request("other", "one", "ten"), REPEAT))
        .isInstanceOf(Verdict.Refused.class);
    assertThat(held("other")).isOne();
    blocking.ticket().close();
    assertThat(second.decide(request("other", "one", "ten"), REPEAT))
        .isInstanceOf(Verdict.Passed.class);
    resume();
    assertThat(held("other")).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"renew", "renew and refund"})
  void leaseThatCannotBeHandedOverIsLeftToTheRequestId(String failing) {
    assertThat(second.decide(request("queue"), RuleEvaluator.Repeat.NONE))
        .isInstanceOf(Verdict.Passed.class);
    Verdict.Queued queued = (Verdict.Queued) first.decide(request("one", "ten", "queue"), REPEAT);
    nowMicros.addAndGet(3_000_000);
    cut.addAll(List.of(failing.split(" and ")));
    assertThatThrownBy(queued::handedOver).isInstanceOf(StoreException.class);
    Verdict.Passed repeated =
        (Verdict.Passed) second.decide(request("one", "ten", "queue"), REPEAT);
    assertThat(repeated.isReplayed()).isTrue();
    resume();
    assertThat(held("one")).isOne();
  }

  /** Another has one of the places meanwhile, and the counts cannot be refunded. */
  @Test
  void leaseOfAGrantThatCannotBeRefundedIsLeftToTheRequestId() {
    assertThat(second.decide(request("queue"), RuleEvaluator.Repeat.NONE))
        .isInstanceOf(Verdict.Passed.class);
    Verdict.Queued queued =
        (Verdict.Queued) first.decide(request("other", "one", "ten", "queue"), REPEAT);
    nowMicros.addAndGet(30_000_000);
    Verdict.Passed blocking =
        (Verdict.Passed) second.decide(request("one"), RuleEvaluator.Repeat.NONE);
    cut.addAll(List.of("refund", "release"));
    assertThatThrownBy(queued::handedOver).isInstanceOf(StoreException.class);
    blocking.ticket().close();
    assertThat(second.decide(request("other", "one", "ten", "queue"), REPEAT))
        .isInstanceOf(Verdict.Passed.class);
    resume();
    assertThat(held("other")).isOne();
  }
}
