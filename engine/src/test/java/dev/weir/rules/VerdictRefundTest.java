package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Refund;
import java.time.Duration;
import java.util.List;
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
}
