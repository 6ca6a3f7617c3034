package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Decision;
import dev.weir.limits.Lease;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases that their callers hold: the node holds them until it has answered. */
final class CallerLeasesTest extends RuleEvaluatorScene {
  private static final long SECOND = 1_000_000;

  @BeforeEach
  void makeRules() {
    make(
        rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(1)))),
        rule("long", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(4)))),
        rule("short", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(2)))),
        rule("ten", "/**", rate(10)),
        rule("queue", "/**", queued(1, 5, 3_000)));
  }

  private LimitedRule rule(String name) {
    return Objects.requireNonNull(index.find(name));
  }

  private List<RuleCheck> checks(String... names) {
    return Arrays.stream(names).map(name -> new RuleCheck(rule(name), "k", 1)).toList();
  }

  private Verdict decide(String id, String... names) {
    return evaluator.decide(
        checks(names),
        id.isEmpty()
            ? RuleEvaluator.Repeat.NONE
            : new RuleEvaluator.Repeat(id, Duration.ofMinutes(10)));
  }

  private Verdict.Queued waits(String id) {
    assertThat(decide("", "queue")).isInstanceOf(Verdict.Passed.class);
    Verdict verdict = decide(id, "one", "ten", "queue");
    assertThat(verdict).isInstanceOf(Verdict.Queued.class);
    return (Verdict.Queued) verdict;
  }

  private void pass(Duration time) {
    long end = nowMicros.get() + Micros.floor(time);
    while (nowMicros.get() < end) {
      nowMicros.addAndGet(Micros.floor(RuleEvaluator.BETWEEN_RENEWALS));
      evaluator.renewLeases();
    }
  }

  private long remainingOfTen() {
    return evaluator.peek(checks("ten")).getFirst().outcome().remaining();
  }

  private int held(String rule) {
    return leases.current(new RuleCheck(rule(rule), "k", 1).leaseResource());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void leaseIsHeldDuringTheWaitAndHandedOverWithItsWholeTime(String id) {
    Verdict.Queued queued = waits(id);
    pass(Duration.ofSeconds(3));
    assertThat(decide("", "one")).isInstanceOf(Verdict.Refused.class);
    assertThat(queued.handedOver()).isEqualTo(queued);
    Lease lease = queued.ticket().lease().orElseThrow();
    assertThat(lease.expiresAtMicros()).isEqualTo(nowMicros.get() + SECOND);
    assertThat(waiting).hasValue(0);
    pass(Duration.ofSeconds(1));
    assertThat(decide("", "one"))
        .as("only its caller renews it")
        .isInstanceOf(Verdict.Passed.class);
  }

  @Test
  void leaseOfARepetitionIsHeldDuringItsWait() {
    waits("id").ticket().close();
    Verdict.Queued repeated = (Verdict.Queued) decide("id", "one", "ten", "queue");
    pass(Duration.ofSeconds(3));
    assertThat(repeated.handedOver()).isEqualTo(repeated);
    assertThat(repeated.ticket().lease().orElseThrow().expiresAtMicros())
        .isEqualTo(nowMicros.get() + SECOND);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void leaseOfAClientThatLeavesIsNotRenewed(String id) {
    waits(id).ticket().close();
    pass(Duration.ofSeconds(1));
    assertThat(held("one")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void whatEndedDuringTheWaitIsTakenAgainIfItIsFree(String id) {
    Verdict.Queued queued = waits(id);
    nowMicros.addAndGet(3 * SECOND);
    assertThat(held("one")).isZero();
    assertThat(queued.handedOver()).isEqualTo(queued);
    assertThat(held("one")).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void whatAnotherHasMeanwhileIsRefusedAndAllIsGivenBack(String id) {
    Verdict.Queued queued = waits(id);
    assertThat(remainingOfTen()).isEqualTo(9);
    nowMicros.addAndGet(3 * SECOND);
    Verdict.Passed other = (Verdict.Passed) decide("", "one");
    Verdict.Refused refused = (Verdict.Refused) queued.handedOver();
    assertThat(refused.violated()).containsExactly("one");
    assertThat(refused.retryAfterMicros()).isEqualTo(SECOND);
    assertThat(remainingOfTen()).isEqualTo(10);
    assertThat(held("one")).as("the other's").isOne();
    assertThat(waiting).hasValue(0);
    other.ticket().close();
    Verdict again = decide(id, "one", "ten", "queue");
    assertThat(again).isInstanceOf(Verdict.Queued.class);
    assertThat(((Verdict.Queued) again).isReplayed()).isFalse();
  }

  /** The lease has ended during the wait, and others have filled the store. */
  @Test
  void nothingStaysTakenIfAFullStoreHasNoPlaceForTheLease() {
    InstantSource clock = () -> Micros.instant(nowMicros.get());
    MemoryLeaseStore small = new MemoryLeaseStore(clock, 10);
    RuleEvaluator bounded =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(new MemoryLimitStore(clock), small, small),
            new RuleObserver() {
              @Override
              public void waiting(int more) {
                waiting.addAndGet(more);
              }
            },
            nowMicros::get,
            clock);
    bounded.decide(checks("queue"), RuleEvaluator.Repeat.NONE);
    Verdict.Queued queued =
        (Verdict.Queued) bounded.decide(checks("one", "ten", "queue"), RuleEvaluator.Repeat.NONE);
    assertThat(waiting).hasValue(1);
    nowMicros.addAndGet(3 * SECOND);
    Concurrency concurrency = Concurrency.of(1, Duration.ofSeconds(9));
    int refused = 0;
    for (int i = 0; i < 10_000; i++) {
      try {
        small.acquire("other" + i, concurrency, "l" + i, 1);
      } catch (StoreException full) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
    assertThatThrownBy(queued::handedOver).isInstanceOf(StoreException.class);
    assertThat(bounded.peek(checks("ten")).getFirst().outcome().remaining()).isEqualTo(10);
    assertThat(waiting).hasValue(0);
  }

  @Test
  void refusedRepetitionTakesNoLease() {
    assertThat(decide("id", "long", "short")).isInstanceOf(Verdict.Passed.class);
    nowMicros.addAndGet(4 * SECOND);
    assertThat(decide("", "short")).isInstanceOf(Verdict.Passed.class);
    assertThat(decide("id", "long", "short")).isInstanceOf(Verdict.Refused.class);
    assertThat(held("long")).isZero();
  }

  @Test
  void refusedRepetitionKeepsTheLeaseThatItStillHeld() {
    assertThat(decide("id", "long", "short")).isInstanceOf(Verdict.Passed.class);
    nowMicros.addAndGet(2 * SECOND);
    assertThat(decide("", "short")).isInstanceOf(Verdict.Passed.class);
    Verdict.Refused refused = (Verdict.Refused) decide("id", "long", "short");
    assertThat(refused.results().getFirst().outcome()).isInstanceOf(Decision.Allowed.class);
    assertThat(held("long")).isOne();
  }
}
