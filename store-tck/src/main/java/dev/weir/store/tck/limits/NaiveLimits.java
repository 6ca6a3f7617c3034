package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Refund;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.AllOrNothing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A model of a limit store: the pure functions of core on a plain map.
 *
 * <p>A store may forget an idle usage or not. That makes no difference until the clock steps back
 * or the limit is changed; then either result is right. So a key has one or two possible usages.
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
   * The possible usages of a key.
   *
   * @param idleAtMicros time from which they may be forgotten
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

  /** A grant that is replayed; {@code isForgettable} once it has expired. */
  private record Remembered(
      AcquireRequest request, AcquireResult result, long forgetAtMicros, boolean isForgettable) {
    Remembered at(long nowMicros) {
      return new Remembered(
          request, result, forgetAtMicros, isForgettable || nowMicros >= forgetAtMicros);
    }

    boolean isOf(AcquireRequest other) {
      return request.binding().digest().equals(other.binding().digest());
    }

    AcquireResult resultFor(AcquireRequest other, long nowMicros) {
      Instant now = Micros.instant(nowMicros);
      List<Outcome> decisions = request.layout() == other.layout() ? result.outcomes() : List.of();
      return isOf(other)
          ? new AcquireResult(decisions, result.decidedAt(), AcquireResult.Mode.STORE)
              .replayed(now, request.binding().note())
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

  /** Returns true if the store certainly knows an id, or certainly does not. */
  boolean isRefundClear(String requestId) {
    Remembered grant = remembered.get(requestId);
    return grant == null || !grant.isForgettable() || nowMicros >= grant.forgetAtMicros();
  }

  AcquireResult checkPeek(AcquireRequest request, AcquireResult actual) {
    AcquireResult expected = null;
    for (List<Usage> usages : possibleUsages(request.parts())) {
      List<Outcome> decisions = new ArrayList<>();
      for (int i = 0; i < usages.size(); i++) {
        LimitRequest limitRequest = request.parts().get(i);
        decisions.add(
            limitRequest.policy().limit().peek(usages.get(i), limitRequest.cost(), nowMicros));
      }
      expected = result(decisions);
      if (expected.equals(actual)) {
        return actual;
      }
    }
    assertThat(actual).isEqualTo(expected);
    return actual;
  }

  /** Fails unless the result is right, and continues from it. */
  AcquireResult checkDecide(AcquireRequest request, AcquireResult actual) {
    Remembered grant = remembered.get(request.requestId());
    if (grant != null && (!grant.isForgettable() || actual.isReplayed() || actual.isReused())) {
      assertThat(nowMicros).isLessThan(grant.forgetAtMicros());
      assertThat(actual).isEqualTo(grant.resultFor(request, nowMicros));
      return actual;
    }
    AcquireResult expected = null;
    for (List<Usage> usages : possibleUsages(request.takingParts())) {
      AllOrNothing.Step step = AllOrNothing.decide(parts(request, usages), nowMicros);
      expected = result(request.merged(step.decisions()));
      if (expected.equals(actual)) {
        if (step.isGranted()) {
          apply(request, step.next());
          remember(request, expected);
        } else {
          request.takingParts().forEach(part -> settle(part.policy(), part.key()));
        }
        return actual;
      }
    }
    assertThat(actual).isEqualTo(expected);
    return actual;
  }

  /** Fails unless the result is right, and continues from it. */
  void checkTake(LimitRequest limitRequest, boolean isTaken) {
    Limit limit = limitRequest.policy().limit();
    Set<Usage> after = new LinkedHashSet<>();
    long idleAtMicros = Long.MAX_VALUE;
    for (Usage before : usages(limitRequest.policy(), limitRequest.key())) {
      Limit.Step step = limit.decide(before, limitRequest.cost(), nowMicros);
      if (step.decision().isAllowed() == isTaken) {
        after.add(step.next());
        idleAtMicros = Math.min(idleAtMicros, nowMicros + limit.idleMicros(step.next(), nowMicros));
      }
    }
    assertThat(after).as("%s returned %s", limitRequest, isTaken).isNotEmpty();
    if (isTaken) {
      held.put(Key.of(limitRequest.policy(), limitRequest.key()), new Held(after, idleAtMicros));
    } else {
      settle(limitRequest.policy(), limitRequest.key());
    }
  }

  /** Carries the usage of a key over to a limit that was changed. */
  void settle(Policy policy, String key) {
    Limit limit = policy.limit();
    Held before = held.getOrDefault(Key.of(policy, key), Held.NOTHING);
    if (before.possible().stream().allMatch(usage -> limit.isCurrent(usage, nowMicros))) {
      return;
    }
    Set<Usage> after = new LinkedHashSet<>();
    long idleAtMicros = before.idleAtMicros();
    for (Usage usage : before.possible()) {
      if (limit.isCurrent(usage, nowMicros)) {
        after.add(usage);
      } else {
        Usage settled = limit.settle(usage, nowMicros);
        after.add(settled);
        idleAtMicros = nowMicros + limit.idleMicros(settled, nowMicros);
      }
    }
    held.put(Key.of(policy, key), new Held(after, idleAtMicros).at(nowMicros));
  }

  Refund refund(AcquireRequest request, Instant grantedAt) {
    if (!request.isRepeatable()) {
      giveBack(request, grantedAt);
      return Refund.GIVEN_BACK;
    }
    Remembered grant = remembered.get(request.requestId());
    if (grant == null || grant.isForgettable()) {
      remembered.remove(request.requestId());
      return Refund.UNKNOWN;
    } else if (!grant.isOf(request)) {
      return Refund.REUSED;
    }
    remembered.remove(request.requestId());
    if (grant.request().layout() == request.layout()) {
      giveBack(request.grantedAs(grant.result().outcomes()), grant.result().decidedAt());
    }
    return Refund.GIVEN_BACK;
  }

  private void giveBack(AcquireRequest request, Instant grantedAt) {
    for (LimitRequest limitRequest : request.takingParts()) {
      Limit limit = limitRequest.policy().limit();
      Set<Usage> after = new LinkedHashSet<>();
      long idleAtMicros = Long.MAX_VALUE;
      for (Usage before : usages(limitRequest.policy(), limitRequest.key())) {
        Usage usage = limit.refund(before, limitRequest.cost(), Micros.ceil(grantedAt), nowMicros);
        after.add(usage);
        idleAtMicros = Math.min(idleAtMicros, nowMicros + limit.idleMicros(usage, nowMicros));
      }
      held.put(
          Key.of(limitRequest.policy(), limitRequest.key()),
          new Held(after, idleAtMicros).at(nowMicros));
    }
  }

  private void apply(AcquireRequest request, List<Usage> next) {
    for (int i = 0; i < next.size(); i++) {
      LimitRequest limitRequest = request.takingParts().get(i);
      Usage usage = next.get(i);
      long idleAtMicros = nowMicros + limitRequest.policy().limit().idleMicros(usage, nowMicros);
      held.put(
          Key.of(limitRequest.policy(), limitRequest.key()), new Held(Set.of(usage), idleAtMicros));
    }
  }

  private void remember(AcquireRequest request, AcquireResult result) {
    if (request.isRepeatable()) {
      long forgetAtMicros = nowMicros + Micros.floor(request.requestTtl());
      remembered.put(request.requestId(), new Remembered(request, result, forgetAtMicros, false));
    }
  }

  private AcquireResult result(List<Outcome> decisions) {
    return new AcquireResult(decisions, Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  private static List<AllOrNothing.Part> parts(AcquireRequest request, List<Usage> usages) {
    List<AllOrNothing.Part> parts = new ArrayList<>();
    for (int i = 0; i < usages.size(); i++) {
      LimitRequest limitRequest = request.takingParts().get(i);
      parts.add(
          new AllOrNothing.Part(limitRequest.policy().limit(), usages.get(i), limitRequest.cost()));
    }
    return parts;
  }

  private List<List<Usage>> possibleUsages(List<LimitRequest> limitRequests) {
    List<List<Usage>> combinations = List.of(List.of());
    for (LimitRequest limitRequest : limitRequests) {
      List<List<Usage>> longer = new ArrayList<>();
      for (List<Usage> combination : combinations) {
        for (Usage usage : usages(limitRequest.policy(), limitRequest.key())) {
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
