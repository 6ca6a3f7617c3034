package dev.weir.engine.rules;

import static dev.weir.engine.rules.Allowance.Together.SHORTEST_LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.Micros;
import dev.weir.core.limits.Concurrency;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.FixedWindow;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.MemoryLeaseStore;
import dev.weir.engine.limits.MemoryLimitStore;
import dev.weir.engine.register.Change;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules decide about requests together, and give back what nobody has used. */
final class RuleDeskTest {
  private final AtomicLong nowMicros =
      new AtomicLong(Micros.ceil(Instant.parse("2026-06-01T12:00:00Z")));
  private final MemoryRules rules = new MemoryRules(InstantSource.system());
  private final Map<String, Map<Tally.Outcome, Integer>> tallies = new TreeMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final MemoryLeaseStore leases = new MemoryLeaseStore(nowMicros::get);
  private final RuleBook book =
      new RuleBook(
          rules,
          new RuleObserver() {
            @Override
            public Tally tally(String rule) {
              return outcome -> {
                synchronized (tallies) {
                  tallies
                      .computeIfAbsent(rule, absent -> new EnumMap<>(Tally.Outcome.class))
                      .merge(outcome, 1, Integer::sum);
                }
              };
            }
          });
  private final RuleDesk desk =
      new RuleDesk(
          book,
          new RuleDesk.Stores(new MemoryLimitStore(nowMicros::get, 10_000), leases, leases),
          new RuleObserver() {
            @Override
            public void waiting(int more) {
              waiting.addAndGet(more);
            }
          },
          nowMicros::get);

  private record Sent(
      String method, RequestPath path, String clientAddress, Map<String, String> headers)
      implements Request {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }
  }

  private static Request get(String path) {
    return new Sent("GET", RequestPath.of(path), "192.0.2.1", Map.of());
  }

  private static Request from(String address) {
    return new Sent("GET", RequestPath.of("/a"), address, Map.of());
  }

  private static Allowance.Rate rate(int limit) {
    return Allowance.Rate.of(FixedWindow.of(limit, Duration.ofSeconds(10)));
  }

  private static Allowance.Rate queued(int limit, int queue, long delayMillis) {
    return new Allowance.Rate(
        FixedWindow.of(limit, Duration.ofSeconds(10)),
        new Allowance.Waiting(true, queue, delayMillis));
  }

  private static Rule.Terms rule(String name, String path, Allowance allowance) {
    return Rule.Terms.of(name, allowance).covering(Coverage.of(PathPattern.of(path)));
  }

  private void make(Rule.Terms... terms) {
    for (Rule.Terms each : terms) {
      assertThat(rules.create(each, "me")).isInstanceOf(Change.Done.class);
    }
    book.refresh();
  }

  private void passes(Request request) {
    assertThat(desk.decide(request)).isInstanceOf(Verdict.Passed.class);
  }

  private Verdict.Refused refuses(Request request) {
    Verdict verdict = desk.decide(request);
    assertThat(verdict).isInstanceOf(Verdict.Refused.class);
    return (Verdict.Refused) verdict;
  }

  private Verdict.Queued queues(Request request) {
    Verdict verdict = desk.decide(request);
    assertThat(verdict).isInstanceOf(Verdict.Queued.class);
    return (Verdict.Queued) verdict;
  }

  @Test
  void whatNoRuleCoversPasses() {
    make(
        rule("a", "/a/**", rate(1))
            .covering(Coverage.of(PathPattern.of("/a/**")).methods(Set.of("POST"))));
    assertThat(desk.decide(get("/a/b")).said()).isEmpty();
    assertThat(desk.decide(get("/b")).said()).isEmpty();
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
    assertThat(desk.explain(get("/health")).overridden())
        .extracting(asked -> asked.rule().name())
        .containsExactly("wide");
  }

  @Test
  void aRuleInTheShadowRefusesNothingAndHidesNothing() {
    make(
        rule("real", "/**", rate(2)),
        rule("shadow", "/**", rate(1)).priority(99).mode(Rule.Mode.SHADOW));
    passes(get("/a"));
    passes(get("/a"));
    refuses(get("/a"));
    assertThat(tallies.get("shadow"))
        .isEqualTo(Map.of(Tally.Outcome.SHADOW_ALLOWED, 1, Tally.Outcome.SHADOW_REFUSED, 1));
    assertThat(tallies.get("real"))
        .isEqualTo(Map.of(Tally.Outcome.ALLOWED, 2, Tally.Outcome.REFUSED, 1));
  }

  @Test
  void countsByWhatTheRuleSays() {
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

  private static Request withKey(String key) {
    return new Sent("GET", RequestPath.of("/a"), "192.0.2.1", Map.of("X-Api-Key", key));
  }

  @Test
  void ofEightAtOnceThreePassTwoWaitAndThreeAreRefused() throws Exception {
    make(rule("q", "/**", queued(3, 2, 500)));
    List<FutureTask<Verdict>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> desk.decide(get("/a"))));
    }
    callers.forEach(Thread.ofVirtual()::start);
    int passed = 0;
    int refused = 0;
    List<Long> delays = new ArrayList<>();
    for (FutureTask<Verdict> caller : callers) {
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
  void leasesAreHeldUntilTheTicketIsClosed() {
    make(rule("two", "/**", new Allowance.Together(Concurrency.of(2, Duration.ofSeconds(30)))));
    Verdict one = desk.decide(get("/a"));
    passes(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("two");
    ((Verdict.Passed) one).ticket().close();
    ((Verdict.Passed) one).ticket().close();
    passes(get("/a"));
    refuses(get("/a"));
  }

  @Test
  void leasesOfRequestsThatTakeLongAreRenewedAndOthersEnd() {
    make(rule("one", "/**", new Allowance.Together(Concurrency.of(1, Duration.ofSeconds(30)))));
    Verdict.Passed held = (Verdict.Passed) desk.decide(get("/a"));
    nowMicros.addAndGet(20_000_000);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_000);
    refuses(get("/a"));
    held.ticket().close();
    desk.renewLeases();
    passes(get("/a"));
    nowMicros.addAndGet(31_000_000);
    passes(get("/a"));
  }

  @Test
  void evenTheShortestLeaseIsRenewedInTime() {
    make(
        rule("short", "/**", new Allowance.Together(Concurrency.of(1, SHORTEST_LEASE))),
        rule("long", "/b", new Allowance.Together(Concurrency.of(1, Duration.ofHours(1)))));
    Verdict.Passed held = (Verdict.Passed) desk.decide(get("/b"));
    for (int i = 0; i < 100; i++) {
      nowMicros.addAndGet(Micros.floor(RuleDesk.BETWEEN_RENEWALS));
      desk.renewLeases();
      refuses(get("/a"));
    }
    held.ticket().close();
    passes(get("/a"));
  }

  @Test
  void aLeaseIsRenewedOnlyAfterAThirdOfItsTime() {
    make(rule("one", "/**", new Allowance.Together(Concurrency.of(1, Duration.ofSeconds(30)))));
    passes(get("/a"));
    nowMicros.addAndGet(9_999_999);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_001);
    passes(get("/a"));
    nowMicros.addAndGet(10_000_000);
    desk.renewLeases();
    nowMicros.addAndGet(20_000_001);
    refuses(get("/a"));
  }

  @Test
  void leasesTooShortToBeRenewedAreRefused() {
    assertThatThrownBy(
            () ->
                new Allowance.Together(
                    Concurrency.of(1, SHORTEST_LEASE.minus(Duration.ofNanos(1000)))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl must be at least PT1S, not PT0.999999S");
  }

  @Test
  void aRefusalGivesLeasesBack() {
    make(
        rule("lease", "/**", new Allowance.Together(Concurrency.of(2, Duration.ofSeconds(30)))),
        rule("rate", "/**", rate(1)));
    passes(get("/a"));
    refuses(get("/a"));
    refuses(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("rate");
  }

  @Test
  void explainingTakesNothing() {
    make(rule("q", "/**", queued(1, 1, 500)));
    for (int i = 0; i < 5; i++) {
      assertThat(said(desk.explain(get("/a")))).isInstanceOf(Decision.Allowed.class);
    }
    passes(get("/a"));
    for (int i = 0; i < 5; i++) {
      assertThat(said(desk.explain(get("/a")))).isInstanceOf(Decision.Delayed.class);
    }
    queues(get("/a"));
    assertThat(said(desk.explain(get("/a")))).isInstanceOf(Decision.Refused.class);
    assertThat(desk.explain(get("/a")).isPassing()).isFalse();
  }

  private static Decision said(RuleDesk.Explanation explanation) {
    return explanation.inForce().getFirst().decision();
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
      desk.decide(from("10.0.0." + i));
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
          throw new StoreException("gone");
        });
    ticket.add(() -> givenBack.add("lease"));
    assertThatThrownBy(ticket::close).isInstanceOf(StoreException.class);
    assertThat(givenBack).containsExactly("lease");
  }
}
