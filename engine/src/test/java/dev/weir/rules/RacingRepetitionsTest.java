package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Refund;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens to a request with leases between the steps of its repetition. */
final class RacingRepetitionsTest extends RuleEvaluatorScene {
  private static final RuleEvaluator.Repeat REPEAT =
      new RuleEvaluator.Repeat("id", Duration.ofMinutes(10));

  private final HookedLeases hooked = new HookedLeases(leases);
  private final LeaseFailover failover =
      LeaseFailover.of(hooked).clock(() -> Micros.instant(nowMicros.get())).build();
  private final MemoryLimitStore counts =
      new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000);
  private final RuleEvaluator racing =
      new RuleEvaluator(
          index,
          new RuleEvaluator.Stores(counts, failover, failover),
          new RuleObserver() {},
          nowMicros::get,
          () -> Micros.instant(nowMicros.get()));

  @BeforeEach
  void makeRules() {
    make(
        rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)))),
        rule("ten", "/**", rate(10)));
  }

  private LimitedRule rule(String name) {
    return Objects.requireNonNull(index.find(name));
  }

  private List<RuleCheck> request() {
    return List.of(new RuleCheck(rule("one"), "k", 1), new RuleCheck(rule("ten"), "k", 1));
  }

  private String resource() {
    return new RuleCheck(rule("one"), "k", 1).leaseResource();
  }

  private long remainingOfTen() {
    return racing.peek(request()).getLast().outcome().remaining();
  }

  private static Lease lease(Verdict verdict) {
    return ((Verdict.Passed) verdict).ticket().lease().orElseThrow();
  }

  /** As a caller refunds it: the counts by the id, the lease by its own. */
  private void refund(String leaseId) {
    LimitedRule.Counted ten = (LimitedRule.Counted) rule("ten").kind();
    AcquireRequest request =
        new AcquireRequest(
            List.of(new LimitRequest(ten.policy(), "k", 1)), Map.of(), REPEAT.binding(request()));
    AcquireResult granted = new AcquireResult(List.of(), Instant.EPOCH, AcquireResult.Mode.STORE);
    assertThat(counts.refund(request, granted)).isEqualTo(Refund.GIVEN_BACK);
    leases.release(resource(), leaseId);
  }

  @Test
  void repetitionThatIsRefundedMeanwhileIsDecidedAnew() {
    Lease first = lease(racing.decide(request(), REPEAT));
    hooked.beforeRenew(() -> refund(first.id()));
    Verdict.Passed repeated = (Verdict.Passed) racing.decide(request(), REPEAT);
    assertThat(repeated.isReplayed()).isFalse();
    assertThat(lease(repeated).id()).isNotEqualTo(first.id());
    assertThat(leases.current(resource())).isOne();
    assertThat(remainingOfTen()).isEqualTo(9);
    refund(lease(repeated).id());
    assertThat(leases.current(resource())).isZero();
    assertThat(remainingOfTen()).isEqualTo(10);
  }

  /** As if the other had been decided on another node. */
  @Test
  void requestThatTookTheLastPlaceMeanwhileIsFound() {
    hooked.beforeAcquire(() -> evaluator(counts).decide(request(), REPEAT));
    Verdict.Passed second = (Verdict.Passed) racing.decide(request(), REPEAT);
    assertThat(second.isReplayed()).isTrue();
    assertThat(leases.current(resource())).isOne();
    assertThat(remainingOfTen()).isEqualTo(9);
  }

  private RuleEvaluator evaluator(MemoryLimitStore shared) {
    return new RuleEvaluator(
        index, new RuleEvaluator.Stores(shared, leases, leases), new RuleObserver() {});
  }

  /** The other comes when the place is taken and the counts are not. */
  @Test
  void sameRequestAtTheSameMomentWaitsForTheFirst() throws Exception {
    FutureTask<Verdict> other = new FutureTask<>(() -> racing.decide(request(), REPEAT));
    Thread thread = new Thread(other);
    hooked.afterAcquire(
        () -> {
          thread.start();
          while (thread.getState() != Thread.State.WAITING && !other.isDone()) {
            Thread.onSpinWait();
          }
        });
    Verdict.Passed first = (Verdict.Passed) racing.decide(request(), REPEAT);
    assertThat(first.isReplayed()).isFalse();
    assertThat(other.get()).isInstanceOf(Verdict.Passed.class);
    assertThat(lease(other.get()).id()).isEqualTo(lease(first).id());
    assertThat(remainingOfTen()).isEqualTo(9);
  }

  @Test
  void leaseWhoseGrantWasLostDoesNotBlockTheRetry() {
    hooked.afterAcquire(
        () -> {
          throw new StoreException(StoreException.Outcome.UNKNOWN, "the answer was lost");
        });
    assertThat(racing.decide(request(), REPEAT)).isInstanceOf(Verdict.Refused.class);
    assertThat(leases.current(resource())).isOne();
    racing.renewLeases();
    assertThat(leases.current(resource())).isZero();
    assertThat(racing.decide(request(), REPEAT)).isInstanceOf(Verdict.Passed.class);
    racing.renewLeases();
    assertThat(leases.current(resource())).isOne();
  }
}
