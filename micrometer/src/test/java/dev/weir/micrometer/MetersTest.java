package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Limiter;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLeaseStore;
import dev.weir.limits.memory.MemoryLimitStore;
import dev.weir.rules.LimitedRule;
import dev.weir.rules.MemoryRules;
import dev.weir.rules.RuleCheck;
import dev.weir.rules.RuleCounters;
import dev.weir.rules.RuleEvaluator;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.slots.NoSlotException;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.SlotStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class MetersTest {
  private static final FixedWindow ONE = FixedWindow.of(1, Duration.ofMinutes(1));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-06-01T12:00:00Z"));

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  @Test
  void countsTheDecisionsOfLimitsByPolicyAndOutcome() {
    Limiter limiter = Limiter.inMemory(clock).observedBy(new LimitMeters(registry));
    Policy policy = Policy.of("api", ONE);
    AcquireRequest repeated = AcquireRequest.of(LimitRequest.of(policy, "c")).withRequestId("id");

    limiter.tryAcquire(policy, "a");
    limiter.tryAcquire(policy, "a");
    limiter.acquire(policy, "b");
    limiter.acquire(repeated);
    limiter.acquire(repeated);

    assertThat(count("weir.limits.decisions", "policy", "api", "outcome", "allowed")).isEqualTo(3);
    assertThat(count("weir.limits.decisions", "policy", "api", "outcome", "refused")).isEqualTo(1);
    assertThat(count("weir.limits.modes", "mode", "store")).isEqualTo(2);
    assertThat(count("weir.limits.replayed")).isEqualTo(1);
  }

  @Test
  void manyPoliciesShareATag() {
    LimitMeters meters = new LimitMeters(registry);
    for (int i = 0; i < LimitMeters.MAX_POLICIES + 5; i++) {
      meters.taken(Policy.of("p" + i, ONE), true);
    }

    assertThat(count("weir.limits.decisions", "policy", "other", "outcome", "allowed"))
        .isEqualTo(5);
    assertThat(count("weir.limits.decisions", "policy", "p99", "outcome", "allowed")).isEqualTo(1);
  }

  @Test
  void tellsWhichStoreDoesNotAnswer() {
    LimitMeters meters = new LimitMeters(registry);

    meters.storeFailed("redis", new StoreException(StoreException.Outcome.NONE, "away"));
    meters.breakerChanged("redis", CircuitBreaker.State.OPEN);
    assertThat(count("weir.store.failures", "store", "redis")).isEqualTo(1);
    assertThat(registry.get("weir.store.gone").tag("store", "redis").gauge().value()).isEqualTo(1);
    meters.breakerChanged("redis", CircuitBreaker.State.HALF_OPEN);
    assertThat(registry.get("weir.store.gone").tag("store", "redis").gauge().value()).isEqualTo(1);
    meters.breakerChanged("redis", CircuitBreaker.State.CLOSED);
    assertThat(registry.get("weir.store.gone").tag("store", "redis").gauge().value()).isZero();
  }

  @Test
  void countsTheDecisionsOfRules() {
    RuleMeters meters = new RuleMeters(registry);
    MemoryRules rules = new MemoryRules(clock);
    rules.create(RuleSpec.of("api", Quota.Rate.of(ONE)), "me");
    RuleIndex index = new RuleIndex(rules, meters);
    MemoryLeaseStore leases = new MemoryLeaseStore(clock);
    RuleEvaluator evaluator =
        new RuleEvaluator(
            index,
            new RuleEvaluator.Stores(new MemoryLimitStore(clock), leases, leases),
            meters,
            clock);
    RuleCheck check = new RuleCheck(Objects.requireNonNull(index.find("api")), "anna", 1);

    evaluator.decide(List.of(check));
    evaluator.decide(List.of(check));
    meters.waiting(2);
    meters.waiting(-1);

    assertThat(count("weir.decisions", "rule", "api", "outcome", "allowed")).isEqualTo(1);
    assertThat(count("weir.decisions", "rule", "api", "outcome", "refused")).isEqualTo(1);
    assertThat(registry.get("weir.waiting").gauge().value()).isEqualTo(1);
  }

  @Test
  void rulesThatHaveNotChangedStayTheSameWhenTheyAreReadAgain() {
    RuleMeters meters = new RuleMeters(registry);
    MemoryRules rules = new MemoryRules(clock);
    rules.create(RuleSpec.of("api", Quota.Rate.of(ONE)), "me");
    RuleIndex index = new RuleIndex(rules, meters);
    LimitedRule before = Objects.requireNonNull(index.find("api"));

    index.refresh();

    assertThat(index.find("api")).isSameAs(before);
    RuleCounters counters = meters.counters("api");
    meters.rulesKnown(Set.of("other"));
    assertThat(meters.counters("api")).isNotSameAs(counters);
  }

  @Test
  void timesTheAssignmentsOfSlotsByOutcome() {
    try (SlotScheduler slots =
        SlotScheduler.builder(SlotStore.inMemory(clock))
            .observer(new SlotMeters(registry))
            .build()) {
      slots.configure(
          "bank", SlotPolicy.of(1, Duration.ofSeconds(4)).withMaxDelay(Duration.ofSeconds(4)));
      slots.assign("a", "bank");
      slots.assign("a", "bank");
      slots.assign("b", "bank");
      Assertions.assertThatExceptionOfType(NoSlotException.class)
          .isThrownBy(() -> slots.assign("c", "bank"));
      Assertions.assertThatExceptionOfType(NoSlotException.class)
          .isThrownBy(() -> slots.assign("c", "other"));
    }
    assertThat(assignments("assigned")).isEqualTo(2);
    assertThat(assignments("replayed")).isEqualTo(1);
    assertThat(assignments("no-capacity")).isEqualTo(1);
    assertThat(assignments("unknown-config")).isEqualTo(1);
    assertThat(assignments("failed")).isZero();
    assertThat(registry.get("weir.slots.lookahead").summary().totalAmount()).isEqualTo(1);
    assertThat(registry.get("weir.slots.batch").summary().totalAmount()).isEqualTo(4);
    assertThat(registry.get("weir.slots.waiting").gauge().value()).isZero();
  }

  private long assignments(String outcome) {
    return registry.get("weir.slots.assignments").tag("outcome", outcome).timer().count();
  }
}
