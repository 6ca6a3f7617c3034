package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Outcome;
import dev.weir.rules.matching.KeyPart;
import dev.weir.rules.matching.PathPattern;
import dev.weir.rules.matching.Request;
import dev.weir.rules.matching.RequestPath;
import dev.weir.rules.spec.Coverage;
import dev.weir.rules.spec.RuleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Rules decide about requests together, and give back what was not used. */
final class RuleEvaluatorTest extends RuleEvaluatorScene {
  @Test
  void refusesToDecideByMoreRulesThanFitIntoOneStep() {
    for (int i = 0; i < AcquireRequest.MAX_PARTS; i++) {
      make(rule("r" + i, "/many/**", rate(2)));
    }
    passes(get("/many/1"));
    make(rule("more", "/many/**", rate(2)));

    assertThatThrownBy(() -> evaluator.decide(get("/many/1")))
        .isInstanceOf(TooManyRulesException.class)
        .hasMessageContaining("129 rules cover the request");
  }

  @Test
  void whatNoRuleCoversPasses() {
    make(
        rule("a", "/a/**", rate(1))
            .covering(Coverage.of(PathPattern.of("/a/**")).methods(Set.of("POST"))));
    assertThat(evaluator.decide(get("/a/b")).results()).isEmpty();
    assertThat(evaluator.decide(get("/b")).results()).isEmpty();
  }

  @Test
  void aMethodInAnotherCaseIsCoveredAllTheSame() {
    make(
        rule("a", "/a/**", rate(1))
            .covering(Coverage.of(PathPattern.of("/a/**")).methods(Set.of("POST"))));
    passes(new Sent("POST", RequestPath.of("/a"), "192.0.2.1", Map.of()));
    for (String method : List.of("POST", "post", "pOsT")) {
      Request request = new Sent(method, RequestPath.of("/a"), "192.0.2.1", Map.of());
      refuses(request);
      assertThat(evaluator.explain(request).isPassing()).as(method).isFalse();
    }
    assertThatThrownBy(() -> Coverage.BY_NAME.methods(Set.of("post")))
        .as("a rule that would cover nothing")
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("methods")
        .hasMessageContaining("post");
  }

  @Test
  void allRulesOfOnePriorityGrantTogetherOrNotAtAll() {
    make(rule("wide", "/**", rate(3)), rule("narrow", "/a/**", rate(1)));
    passes(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("narrow");
    passes(get("/b"));
    passes(get("/b"));
    assertThat(refuses(get("/b")).violated()).containsExactly("wide");
    assertThat(refuses(get("/a")).violated()).containsExactly("wide", "narrow");
  }

  @Test
  void aHigherPriorityTakesThePlaceOfALower() {
    make(rule("wide", "/**", rate(1)), rule("free", "/health", rate(1_000)).priority(10));
    passes(get("/a"));
    refuses(get("/a"));
    passes(get("/health"));
    passes(get("/health/"));
    assertThat(evaluator.explain(get("/health")).overridden())
        .extracting(check -> check.rule().name())
        .containsExactly("wide");
  }

  @Test
  void aRuleInTheShadowRefusesNothingAndHidesNothing() {
    make(
        rule("real", "/**", rate(2)),
        rule("shadow", "/**", rate(1)).priority(99).mode(RuleSpec.Mode.SHADOW));
    passes(get("/a"));
    passes(get("/a"));
    refuses(get("/a"));
    assertThat(tallies.get("shadow"))
        .isEqualTo(
            Map.of(RuleCounters.Kind.SHADOW_ALLOWED, 1, RuleCounters.Kind.SHADOW_REFUSED, 1));
    assertThat(tallies.get("real"))
        .isEqualTo(Map.of(RuleCounters.Kind.ALLOWED, 2, RuleCounters.Kind.REFUSED, 1));
  }

  @Test
  void countsByTheKeyOfTheRule() {
    Coverage all = Coverage.of(PathPattern.of("/**"));
    List<KeyPart> keyOfApp = List.of(new KeyPart.Header("X-Api-Key"), new KeyPart.Ip());
    assertThat(all.key(from("192.0.2.1"))).isEqualTo("192.0.2.1");
    assertThat(all.keyBy(List.of(new KeyPart.Global())).key(from("192.0.2.1"))).isEqualTo("(all)");
    assertThat(all.keyBy(List.of(new KeyPart.Path())).key(get("/x//y/"))).isEqualTo("/x/y");
    assertThat(all.keyBy(keyOfApp).key(from("192.0.2.1"))).isEqualTo("(none)|192.0.2.1");
    assertThat(all.keyBy(keyOfApp).key(withKey("a|b"))).isEqualTo("a\\|b|192.0.2.1");
    assertThat(all.keyBy(keyOfApp).key(withKey("a\\")))
        .isNotEqualTo(all.keyBy(keyOfApp).key(withKey("a")));
    assertThat(all.keyBy(keyOfApp).key(withKey("k".repeat(5_000)))).hasSize(64);
    assertThat(all.keyBy(keyOfApp).key(withKey("k".repeat(5_000))))
        .isNotEqualTo(all.keyBy(keyOfApp).key(withKey("k".repeat(5_001))));
  }

  @Test
  void noValueOfAHeaderSharesTheKeyOfRequestsWithoutIt() {
    for (List<KeyPart> parts :
        List.of(
            List.<KeyPart>of(new KeyPart.Header("X-Api-Key")),
            List.<KeyPart>of(new KeyPart.Header("X-Api-Key"), new KeyPart.Ip()))) {
      Coverage all = Coverage.of(PathPattern.of("/**")).keyBy(parts);
      List<String> keys = new ArrayList<>();
      keys.add(all.key(from("192.0.2.1")));
      for (String sent :
          List.of("(none)", "\\(none)", "\\\\(none)", "(all)", "(none", "\\(none", "(none)x")) {
        keys.add(all.key(withKey(sent)));
      }
      assertThat(keys).doesNotHaveDuplicates();
      // As an absent one.
      assertThat(all.key(withKey("  "))).isEqualTo(keys.getFirst());
    }
  }

  private static Request withKey(String key) {
    return new Sent("GET", RequestPath.of("/a"), "192.0.2.1", Map.of("X-Api-Key", key));
  }

  @Test
  void ofEightConcurrentRequestsThreePassTwoWaitAndThreeAreRefused() throws Exception {
    make(rule("q", "/**", queued(3, 2, 500)));
    List<FutureTask<Verdict.Decided>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> evaluator.decide(get("/a"))));
    }
    callers.forEach(Thread.ofVirtual()::start);
    int passed = 0;
    int refused = 0;
    List<Long> delays = new ArrayList<>();
    for (FutureTask<Verdict.Decided> caller : callers) {
      switch (caller.get()) {
        case Verdict.Passed pass -> passed++;
        case Verdict.Queued wait -> delays.add(wait.delay().toMillis());
        case Verdict.Refused refusal -> refused++;
      }
    }
    assertThat(passed).isEqualTo(3);
    assertThat(delays).containsExactlyInAnyOrder(500L, 1_000L);
    assertThat(refused).isEqualTo(3);
    assertThat(waiting).hasValue(2);
  }

  @Test
  void whoLeavesWhileWaitingGivesItsPlaceBack() {
    make(rule("q", "/**", queued(1, 1, 500)));
    passes(get("/a"));
    Verdict.Queued first = queues(get("/a"));
    refuses(get("/a"));
    first.ticket().close();
    first.ticket().close();
    assertThat(waiting).hasValue(0);
    Verdict.Queued second = queues(get("/a"));
    nowMicros.addAndGet(second.delayMicros());
    second.ticket().waited();
    assertThat(waiting).hasValue(0);
    queues(get("/a"));
    second.ticket().close();
    refuses(get("/a"));
  }

  @Test
  void whoWaitsForOneRuleIsCountedByTheOthersAndNotIfItLeaves() {
    make(rule("q", "/**", queued(1, 5, 500)), rule("other", "/**", rate(2)));
    passes(get("/a"));
    Verdict.Queued waits = queues(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("q", "other");
    waits.ticket().close();
    queues(get("/a"));
  }

  @Test
  void aRuleWithoutAQueueRefusesForAll() {
    make(rule("q", "/**", queued(1, 5, 500)), rule("hard", "/**", rate(1)));
    passes(get("/a"));
    Verdict.Refused refused = refuses(get("/a"));
    assertThat(refused.violated()).containsExactly("q", "hard");
    assertThat(waiting).hasValue(0);
    assertThat(leases.resources()).isZero();
  }

  @Test
  void explainingTakesNothing() {
    make(rule("q", "/**", queued(1, 1, 500)));
    for (int i = 0; i < 5; i++) {
      assertThat(outcome(evaluator.explain(get("/a")))).isInstanceOf(Decision.Allowed.class);
    }
    passes(get("/a"));
    for (int i = 0; i < 5; i++) {
      assertThat(outcome(evaluator.explain(get("/a")))).isInstanceOf(Delayed.class);
    }
    queues(get("/a"));
    assertThat(outcome(evaluator.explain(get("/a")))).isInstanceOf(Decision.Refused.class);
    assertThat(evaluator.explain(get("/a")).isPassing()).isFalse();
  }

  private static Outcome outcome(RuleEvaluator.Explanation explanation) {
    return explanation.inForce().getFirst().outcome();
  }

  @Test
  void whatIsNotActiveCoversNothing() {
    make(rule("off", "/**", rate(1)).active(false));
    passes(get("/a"));
    passes(get("/a"));
  }

  @Test
  void emptyQueuesLeaveNothingBehind() {
    make(rule("q", "/**", queued(1, 100, 1)));
    for (int i = 0; i < 50; i++) {
      evaluator.decide(from("10.0.0." + i));
      queues(from("10.0.0." + i)).ticket().close();
    }
    assertThat(leases.resources()).isZero();
  }

  @Test
  void whatCannotBeGivenBackKeepsNothingElse() {
    List<String> givenBack = new ArrayList<>();
    HeldTicket ticket = new HeldTicket(RuleObserver.NONE);
    ticket.add(
        () -> {
          throw new StoreException(StoreException.Outcome.NONE, "gone");
        });
    ticket.add(() -> givenBack.add("lease"));
    assertThatThrownBy(ticket::close).isInstanceOf(StoreException.class);
    assertThat(givenBack).containsExactly("lease");
  }
}
