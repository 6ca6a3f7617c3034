package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.Refund;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VerdictRefundTest extends RuleEvaluatorScene {
  private List<RuleCheck> checks() {
    return List.of(new RuleCheck(index.find("a"), "k", 2), new RuleCheck(index.find("b"), "k", 1));
  }

  private long remaining(String rule) {
    RuleCheck one = new RuleCheck(index.find(rule), "k", 1);
    return evaluator.peek(List.of(one)).getFirst().outcome().remaining();
  }

  @Test
  void whatAVerdictTookIsGivenBack() {
    make(rule("a", "/a", rate(3)), rule("b", "/b", rate(1)));
    Verdict verdict = evaluator.decide(checks());

    assertThat(evaluator.refund(verdict)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(remaining("a")).isEqualTo(3);
    assertThat(remaining("b")).isEqualTo(1);
  }

  @Test
  void aRefusalTookNothingThatCouldBeGivenBack() {
    make(rule("a", "/a", rate(3)), rule("b", "/b", rate(1)));
    evaluator.decide(checks());

    assertThat(evaluator.refund(evaluator.decide(checks()))).isEqualTo(Refund.UNKNOWN);
    assertThat(remaining("a")).isEqualTo(1);
  }

  @Test
  void aRequestIdIsRefundedOnce() {
    make(rule("a", "/a", rate(6)), rule("b", "/b", rate(3)));
    RuleEvaluator.Repeat repeat = new RuleEvaluator.Repeat("id", Duration.ofMinutes(1));
    Verdict verdict = evaluator.decide(checks(), repeat);
    evaluator.decide(checks());

    assertThat(evaluator.refund(verdict, checks(), repeat)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(evaluator.refund(verdict, checks(), repeat)).isEqualTo(Refund.UNKNOWN);
    assertThat(remaining("a")).isEqualTo(4);
    assertThat(remaining("b")).isEqualTo(2);
  }

  @Test
  void whoWaitedInAQueueTookNothingFromItsCounter() {
    make(rule("a", "/a", queued(1, 5, 100)));
    RuleCheck check = new RuleCheck(index.find("a"), "k", 1);
    evaluator.decide(List.of(check));
    Verdict waiting = evaluator.decide(List.of(check));

    assertThat(waiting).isInstanceOf(Verdict.Queued.class);
    assertThat(evaluator.refund(waiting)).isEqualTo(Refund.UNKNOWN);
    assertThat(remaining("a")).isZero();
  }

  private GrantedChecks granted(List<RuleCheck> checks, Set<RuleCheck> waited) {
    Instant now = Micros.instant(nowMicros.get());
    return new GrantedChecks(
        checks, waited, RuleEvaluator.Repeat.NONE, Optional.of(now), AcquireResult.Mode.STORE);
  }

  @Test
  void whatACallerDescribesIsGivenBack() {
    make(rule("a", "/a", rate(3)), rule("b", "/b", rate(1)));
    evaluator.decide(checks(), RuleEvaluator.Repeat.NONE);

    assertThat(evaluator.refund(granted(checks(), Set.of()))).isEqualTo(Refund.GIVEN_BACK);
    assertThat(remaining("a")).isEqualTo(3);
    assertThat(remaining("b")).isEqualTo(1);
  }

  @Test
  void whatWaitedInAQueueIsNotGivenBackToItsCounter() {
    make(rule("a", "/a", rate(3)), rule("b", "/b", rate(1)));
    List<RuleCheck> checks = checks();
    evaluator.decide(checks);

    assertThat(evaluator.refund(granted(checks, Set.of(checks.getLast()))))
        .isEqualTo(Refund.GIVEN_BACK);
    assertThat(remaining("a")).isEqualTo(3);
    assertThat(remaining("b")).isZero();
    assertThat(evaluator.refund(granted(checks, Set.copyOf(checks)))).isEqualTo(Refund.UNKNOWN);
  }

  /** It may have refused: then there would be less in its counter than was taken. */
  @Test
  void whatARuleInShadowHasCountedIsNotGivenBack() {
    make(rule("a", "/a", rate(3)), rule("b", "/b", rate(2)).mode(RuleSpec.Mode.SHADOW));
    evaluator.decide(checks());
    evaluator.decide(checks());
    long before = remaining("b");

    assertThat(evaluator.refund(granted(checks(), Set.of()))).isEqualTo(Refund.GIVEN_BACK);
    assertThat(remaining("b")).isEqualTo(before);
  }

  @Test
  void aRequestIdIsRefundedOnceWithoutATime() {
    make(rule("a", "/a", rate(6)), rule("b", "/b", rate(3)));
    RuleEvaluator.Repeat repeat = new RuleEvaluator.Repeat("id", Duration.ofMinutes(1));
    evaluator.decide(checks(), repeat);
    GrantedChecks granted =
        new GrantedChecks(checks(), Set.of(), repeat, Optional.empty(), AcquireResult.Mode.STORE);

    assertThat(evaluator.refund(granted)).isEqualTo(Refund.GIVEN_BACK);
    assertThat(evaluator.refund(granted)).isEqualTo(Refund.UNKNOWN);
    assertThat(remaining("a")).isEqualTo(6);
  }

  @Test
  void idOfAnotherRequestRefundsNothing() {
    make(rule("a", "/a", rate(6)), rule("b", "/b", rate(3)));
    RuleEvaluator.Repeat repeat = new RuleEvaluator.Repeat("id", Duration.ofMinutes(1));
    evaluator.decide(checks(), repeat);

    assertThat(
            evaluator.refund(
                new GrantedChecks(
                    checks().subList(0, 1),
                    Set.of(),
                    repeat,
                    Optional.empty(),
                    AcquireResult.Mode.STORE)))
        .isEqualTo(Refund.REUSED);
    assertThat(remaining("a")).isEqualTo(4);
  }

  @Test
  void leaseIsEndedByItsId() {
    make(rule("c", "/c", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(9)))));
    make(rule("a", "/a", rate(6)));
    RuleCheck check = new RuleCheck(index.find("c"), "k", 1);
    Verdict.Passed passed =
        (Verdict.Passed) evaluator.decide(List.of(check), RuleEvaluator.Repeat.NONE);
    assertThat(leases.current(check.leaseResource())).isOne();

    assertThat(evaluator.release(check, passed.ticket().lease().orElseThrow().id()))
        .contains(new LeaseDecision.Gone(0));
    assertThat(leases.current(check.leaseResource())).isZero();
    assertThat(evaluator.release(new RuleCheck(index.find("a"), "k", 1), "id")).isEmpty();
  }
}
