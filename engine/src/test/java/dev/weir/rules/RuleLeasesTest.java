package dev.weir.rules;

import static dev.weir.rules.spec.Quota.Concurrent.MIN_LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Concurrency;
import dev.weir.limits.Decision;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LeaseFailover;
import dev.weir.limits.LeaseStore;
import dev.weir.limits.OnStoreFailure;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.spec.Quota;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Leases of rules are held and renewed exactly as long as a request takes. */
final class RuleLeasesTest extends RuleEvaluatorScene {
  @Test
  void leasesAreHeldUntilTheTicketIsClosed() {
    make(rule("two", "/**", new Quota.Concurrent(Concurrency.of(2, Duration.ofSeconds(30)))));
    Verdict one = evaluator.decide(get("/a"));
    passes(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("two");
    ((Verdict.Passed) one).ticket().close();
    ((Verdict.Passed) one).ticket().close();
    passes(get("/a"));
    refuses(get("/a"));
  }

  @Test
  void leasesOfRequestsThatTakeLongAreRenewedAndOthersEnd() {
    make(rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)))));
    Verdict.Passed held = (Verdict.Passed) evaluator.decide(get("/a"));
    nowMicros.addAndGet(20_000_000);
    evaluator.renewLeases();
    nowMicros.addAndGet(20_000_000);
    refuses(get("/a"));
    held.ticket().close();
    evaluator.renewLeases();
    passes(get("/a"));
    nowMicros.addAndGet(31_000_000);
    passes(get("/a"));
  }

  @Test
  void evenTheShortestLeaseIsRenewedInTime() {
    make(
        rule("short", "/**", new Quota.Concurrent(Concurrency.of(1, MIN_LEASE))),
        rule("long", "/b", new Quota.Concurrent(Concurrency.of(1, Duration.ofHours(1)))));
    Verdict.Passed held = (Verdict.Passed) evaluator.decide(get("/b"));
    for (int i = 0; i < 100; i++) {
      nowMicros.addAndGet(Micros.floor(RuleEvaluator.BETWEEN_RENEWALS));
      evaluator.renewLeases();
      refuses(get("/a"));
    }
    held.ticket().close();
    passes(get("/a"));
  }

  @Test
  void aLeaseIsRenewedOnlyAfterAThirdOfItsTime() {
    make(rule("one", "/**", new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)))));
    passes(get("/a"));
    nowMicros.addAndGet(9_999_999);
    evaluator.renewLeases();
    nowMicros.addAndGet(20_000_001);
    passes(get("/a"));
    nowMicros.addAndGet(10_000_000);
    evaluator.renewLeases();
    nowMicros.addAndGet(20_000_001);
    refuses(get("/a"));
  }

  /** One after the other, the last ones would end before their turn if the store is slow. */
  @Test
  void leasesAreRenewedTogether() {
    int together = 20;
    make(rule("all", "/**", new Quota.Concurrent(Concurrency.of(20, Duration.ofSeconds(30)))));
    CountDownLatch begun = new CountDownLatch(together);
    LeaseStore slow =
        (LeaseStore)
            Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("renew")) {
                    begun.countDown();
                    if (!begun.await(1, TimeUnit.MINUTES)) {
                      throw new IllegalStateException(begun.getCount() + " have not begun");
                    }
                  }
                  return method.invoke(leases, arguments);
                });
    RuleEvaluator other = evaluator(slow);
    for (int i = 0; i < together; i++) {
      assertThat(other.decide(get("/a"))).isInstanceOf(Verdict.Passed.class);
    }
    nowMicros.addAndGet(20_000_000);
    other.renewLeases();
    nowMicros.addAndGet(20_000_000);
    assertThat(other.decide(get("/a"))).isInstanceOf(Verdict.Refused.class);
  }

  /** Otherwise each would hold a place that the other one needs, and both would be refused. */
  @Test
  void ofRequestsThatNameTheSameRulesInOtherOrdersOneGetsAllLeases() throws Exception {
    Quota.Concurrent single = new Quota.Concurrent(Concurrency.of(1, Duration.ofSeconds(30)));
    make(rule("one", "/**", single), rule("two", "/**", single));
    CyclicBarrier haveFirst = new CyclicBarrier(2);
    Set<Thread> begun = ConcurrentHashMap.newKeySet();
    LeaseStore meeting =
        (LeaseStore)
            Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                  Object result = method.invoke(leases, arguments);
                  if (method.getName().equals("acquire") && begun.add(Thread.currentThread())) {
                    int unused = haveFirst.await(5, TimeUnit.MINUTES);
                  }
                  return result;
                });
    RuleEvaluator other = evaluator(meeting);
    List<RuleCheck> checks =
        Stream.of("one", "two")
            .map(name -> new RuleCheck(Objects.requireNonNull(index.find(name)), "k", 1))
            .toList();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<Verdict> forth = threads.submit(() -> other.decide(checks, RuleEvaluator.Repeat.NONE));
      Future<Verdict> back =
          threads.submit(() -> other.decide(checks.reversed(), RuleEvaluator.Repeat.NONE));
      assertThat(List.of(forth.get(), back.get()))
          .filteredOn(Verdict.Passed.class::isInstance)
          .hasSize(1);
    }
  }

  @Test
  void renewalsDoNotWaitUntilASlowStoreHasEndedAllLostLeases() {
    make(rule("all", "/**", new Quota.Concurrent(Concurrency.of(20, Duration.ofHours(1)))));
    AtomicBoolean isCut = new AtomicBoolean(true);
    AtomicInteger ended = new AtomicInteger();
    LeaseStore slow =
        (LeaseStore)
            Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("release")) {
                    if (isCut.get()) {
                      return new LeaseDecision.Unavailable(1, false);
                    }
                    nowMicros.addAndGet(1_000_000);
                    ended.incrementAndGet();
                  }
                  return method.invoke(leases, arguments);
                });
    RuleEvaluator other = evaluator(slow);
    for (int i = 0; i < 20; i++) {
      ((Verdict.Passed) other.decide(get("/a"))).ticket().close();
    }
    isCut.set(false);
    other.renewLeases();
    assertThat(ended).hasValue(1);
    for (int i = 1; i < 20; i++) {
      other.renewLeases();
    }
    assertThat(ended).hasValue(20);
  }

  private RuleEvaluator evaluator(LeaseStore store) {
    return new RuleEvaluator(
        index,
        new RuleEvaluator.Stores(
            new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000), store, store),
        RuleObserver.NONE,
        nowMicros::get,
        () -> Micros.instant(nowMicros.get()));
  }

  @Test
  void leasesTooShortToBeRenewedAreRefused() {
    assertThatThrownBy(
            () -> new Quota.Concurrent(Concurrency.of(1, MIN_LEASE.minus(Duration.ofNanos(1000)))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("leaseTtl must be whole microseconds from PT1S to PT8784H, not PT0.999999S");
  }

  @Test
  void verdictReportsThatTheLeaseStoreIsUnavailable() {
    Concurrency two = Concurrency.of(2, Duration.ofSeconds(30));
    make(
        rule("closed", "/closed", new Quota.Concurrent(two)),
        rule("open", "/open", new Quota.Concurrent(two)).onStoreFailure(OnStoreFailure.OPEN),
        rule("counted", "/open", rate(10)));
    RuleEvaluator without =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(
                new MemoryLimitStore(() -> Micros.instant(nowMicros.get()), 10_000),
                gone(LeaseFailover.OnFailure.CLOSED),
                gone(LeaseFailover.OnFailure.OPEN)),
            new RuleObserver() {});
    Verdict.Refused refused = (Verdict.Refused) without.decide(get("/closed"));
    assertThat(refused.mode()).isEqualTo(AcquireResult.Mode.CLOSED);
    assertThat(refused.results().getFirst().outcome())
        .isEqualTo(new Decision.Refused(0, 200_000, 200_000));
    Verdict.Passed passed = (Verdict.Passed) without.decide(get("/open"));
    assertThat(passed.mode()).isEqualTo(AcquireResult.Mode.OPEN);
    assertThat(passed.results()).hasSize(2);
  }

  /** A store without capacity for another resource, so that it fails. */
  private LeaseStore gone(LeaseFailover.OnFailure onFailure) {
    MemoryLeaseStore full = new MemoryLeaseStore(() -> Micros.instant(nowMicros.get()), 1);
    Concurrency one = Concurrency.of(1, Duration.ofHours(1));
    for (int i = 0; i < 1_000; i++) {
      try {
        full.acquire("filler " + i, one, "id", 1);
      } catch (StoreException e) {
        // This stripe is full.
      }
    }
    return LeaseFailover.of(full)
        .onFailure(onFailure)
        .clock(() -> Micros.instant(nowMicros.get()))
        .build();
  }

  @Test
  void aRefusalGivesLeasesBack() {
    make(
        rule("lease", "/**", new Quota.Concurrent(Concurrency.of(2, Duration.ofSeconds(30)))),
        rule("rate", "/**", rate(1)));
    passes(get("/a"));
    refuses(get("/a"));
    refuses(get("/a"));
    assertThat(refuses(get("/a")).violated()).containsExactly("rate");
  }
}
