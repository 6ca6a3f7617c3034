package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.Micros;
import dev.weir.core.limits.AllOrNothing;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Policy;
import dev.weir.engine.limits.Refund;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The pure functions of core on a plain map.
 *
 * <p>What is idle may be forgotten or not. That makes no difference until the clock steps back or
 * the limit is changed; then either answer is right. So a key has one or two possible usages.
 */
final class NaiveLimits {
  private final Map<Key, Held> held = new HashMap<>();
  private final Map<String, Remembered> remembered = new HashMap<>();
  private long nowMicros;

  NaiveLimits(long nowMicros) {
    this.nowMicros = nowMicros;
  }

  private record Key(Class<?> kind, String policy, String key) {
    static Key of(Policy policy, String key) {
      return new Key(policy.limit().getClass(), policy.name(), key);
    }
  }

  /**
   * What a key has used.
   *
   * @param idleAtMicros from this time on it may be forgotten
   */
  private record Held(Set<Usage> possible, long idleAtMicros) {
    static final Held NOTHING = new Held(Set.of(Usage.NONE), Long.MAX_VALUE);

    Held at(long nowMicros) {
      if (nowMicros < idleAtMicros || possible.contains(Usage.NONE)) {
        return this;
      }
      Set<Usage> more = new LinkedHashSet<>(possible);
      more.add(Usage.NONE);
      return new Held(more, idleAtMicros);
    }
  }

  /** A grant that is answered again; {@code isForgettable} once its time was over. */
  private record Remembered(
      AcquireRequest demand, AcquireResult answer, long forgetAtMicros, boolean isForgettable) {
    Remembered at(long nowMicros) {
      return new Remembered(
          demand, answer, forgetAtMicros, isForgettable || nowMicros >= forgetAtMicros);
    }

    boolean isOf(AcquireRequest other) {
      return demand.request().digest().equals(other.request().digest());
    }

    AcquireResult answerTo(AcquireRequest other, long nowMicros) {
      Instant now = Micros.instant(nowMicros);
      List<Outcome> decisions = demand.layout() == other.layout() ? answer.outcomes() : List.of();
      return isOf(other)
          ? new AcquireResult(decisions, answer.decidedAt(), AcquireResult.Mode.STORE)
              .replayed(now, demand.request().note())
          : AcquireResult.reused(now);
    }
  }

  void moveClock(long toMicros) {
    nowMicros = toMicros;
    held.replaceAll((key, usage) -> usage.at(nowMicros));
    remembered.replaceAll((id, grant) -> grant.at(nowMicros));
  }

  Set<Usage> usages(Policy policy, String key) {
    return held.getOrDefault(Key.of(policy, key), Held.NOTHING).possible();
  }

  void forget(Policy policy, String key) {
    held.remove(Key.of(policy, key));
  }

  OptionalLong forgetsAtMicros(String requestId) {
    Remembered grant = remembered.get(requestId);
    return grant == null ? OptionalLong.empty() : OptionalLong.of(grant.forgetAtMicros());
  }

  /** Whether an id is surely known, or surely not at all. */
  boolean isRefundClear(String requestId) {
    Remembered grant = remembered.get(requestId);
    return grant == null || !grant.isForgettable() || nowMicros >= grant.forgetAtMicros();
  }

  AcquireResult checkPeek(AcquireRequest demand, AcquireResult actual) {
    AcquireResult expected = null;
    for (List<Usage> usages : possibleUsages(demand.asks())) {
      List<Outcome> decisions = new ArrayList<>();
      for (int i = 0; i < usages.size(); i++) {
        LimitRequest ask = demand.asks().get(i);
        decisions.add(ask.policy().limit().peek(usages.get(i), ask.cost(), nowMicros));
      }
      expected = answer(decisions);
      if (expected.equals(actual)) {
        return actual;
      }
    }
    assertThat(actual).isEqualTo(expected);
    return actual;
  }

  /** Fails unless the answer is right, and goes on from it. */
  AcquireResult checkDecide(AcquireRequest demand, AcquireResult actual) {
    Remembered grant = remembered.get(demand.requestId());
    if (grant != null && (!grant.isForgettable() || actual.isReplayed() || actual.isReused())) {
      assertThat(nowMicros).isLessThan(grant.forgetAtMicros());
      assertThat(actual).isEqualTo(grant.answerTo(demand, nowMicros));
      return actual;
    }
    AcquireResult expected = null;
    for (List<Usage> usages : possibleUsages(demand.taking())) {
      AllOrNothing.Step step = AllOrNothing.decide(parts(demand, usages), nowMicros);
      expected = answer(demand.merged(step.decisions()));
      if (expected.equals(actual)) {
        if (step.isGranted()) {
          apply(demand, step.next());
          remember(demand, expected);
        }
        return actual;
      }
    }
    assertThat(actual).isEqualTo(expected);
    return actual;
  }

  /** Fails unless yes or no is right, and goes on from it. */
  void checkTake(LimitRequest ask, boolean isTaken) {
    Limit limit = ask.policy().limit();
    Set<Usage> after = new LinkedHashSet<>();
    long idleAtMicros = Long.MAX_VALUE;
    for (Usage before : usages(ask.policy(), ask.key())) {
      Limit.Step step = limit.decide(before, ask.cost(), nowMicros);
      if (step.decision().isAllowed() == isTaken) {
        after.add(step.next());
        idleAtMicros = Math.min(idleAtMicros, nowMicros + limit.idleMicros(step.next(), nowMicros));
      }
    }
    assertThat(after).as("%s is told %s", ask, isTaken).isNotEmpty();
    if (isTaken) {
      held.put(Key.of(ask.policy(), ask.key()), new Held(after, idleAtMicros));
    }
  }

  Refund refund(AcquireRequest demand, Instant grantedAt) {
    if (!demand.isRepeatable()) {
      giveBack(demand, grantedAt);
      return Refund.GIVEN_BACK;
    }
    Remembered grant = remembered.get(demand.requestId());
    if (grant == null || grant.isForgettable()) {
      remembered.remove(demand.requestId());
      return Refund.UNKNOWN;
    } else if (!grant.isOf(demand)) {
      return Refund.REUSED;
    }
    remembered.remove(demand.requestId());
    if (grant.demand().layout() == demand.layout()) {
      giveBack(demand.grantedAs(grant.answer().outcomes()), grant.answer().decidedAt());
    }
    return Refund.GIVEN_BACK;
  }

  private void giveBack(AcquireRequest demand, Instant grantedAt) {
    for (LimitRequest ask : demand.taking()) {
      Limit limit = ask.policy().limit();
      Set<Usage> after = new LinkedHashSet<>();
      long idleAtMicros = Long.MAX_VALUE;
      for (Usage before : usages(ask.policy(), ask.key())) {
        Usage usage = limit.refund(before, ask.cost(), Micros.ceil(grantedAt), nowMicros);
        after.add(usage);
        idleAtMicros = Math.min(idleAtMicros, nowMicros + limit.idleMicros(usage, nowMicros));
      }
      held.put(Key.of(ask.policy(), ask.key()), new Held(after, idleAtMicros).at(nowMicros));
    }
  }

  private void apply(AcquireRequest demand, List<Usage> next) {
    for (int i = 0; i < next.size(); i++) {
      LimitRequest ask = demand.taking().get(i);
      Usage usage = next.get(i);
      long idleAtMicros = nowMicros + ask.policy().limit().idleMicros(usage, nowMicros);
      held.put(Key.of(ask.policy(), ask.key()), new Held(Set.of(usage), idleAtMicros));
    }
  }

  private void remember(AcquireRequest demand, AcquireResult answer) {
    if (demand.isRepeatable()) {
      long forgetAtMicros = nowMicros + Micros.floor(demand.requestTtl());
      remembered.put(demand.requestId(), new Remembered(demand, answer, forgetAtMicros, false));
    }
  }

  private AcquireResult answer(List<Outcome> decisions) {
    return new AcquireResult(decisions, Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  private static List<AllOrNothing.Part> parts(AcquireRequest demand, List<Usage> usages) {
    List<AllOrNothing.Part> parts = new ArrayList<>();
    for (int i = 0; i < usages.size(); i++) {
      LimitRequest ask = demand.taking().get(i);
      parts.add(new AllOrNothing.Part(ask.policy().limit(), usages.get(i), ask.cost()));
    }
    return parts;
  }

  private List<List<Usage>> possibleUsages(List<LimitRequest> asks) {
    List<List<Usage>> combinations = List.of(List.of());
    for (LimitRequest ask : asks) {
      List<List<Usage>> longer = new ArrayList<>();
      for (List<Usage> combination : combinations) {
        for (Usage usage : usages(ask.policy(), ask.key())) {
          List<Usage> more = new ArrayList<>(combination);
          more.add(usage);
          longer.add(more);
        }
      }
      combinations = longer;
    }
    return combinations;
  }
}
