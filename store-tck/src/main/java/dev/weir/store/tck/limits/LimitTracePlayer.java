package dev.weir.store.tck.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.store.tck.internal.NastyNames;
import dev.weir.store.tck.limits.LimitTrace.Choice;
import dev.weir.store.tck.limits.LimitTrace.Part;
import dev.weir.store.tck.limits.LimitTrace.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Runs a trace on a store and on core, and compares every result and every usage. */
final class LimitTracePlayer {
  private static final Instant FIRST = Instant.parse("1990-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("2190-01-01T00:00:00Z");

  private final LimitScene scene;
  private final List<Class<? extends Limit>> kinds;
  private final List<Policy> policies = new ArrayList<>();
  private final List<String> keys;
  private final NaiveLimits model;
  private final List<Granted> grants = new ArrayList<>();
  private long retryMicros;
  private long resetMicros;

  private record Granted(AcquireRequest request, Instant at) {}

  LimitTracePlayer(LimitScene scene, List<Class<? extends Limit>> kinds, LimitTrace trace) {
    this.scene = scene;
    this.kinds = kinds;
    this.model = new NaiveLimits(scene.nowMicros());
    for (Choice choice : trace.limits()) {
      policies.add(policy(policies.size(), choice));
    }
    int first = trace.steps().size();
    this.keys =
        IntStream.range(first, first + LimitTrace.KEYS)
            .mapToObj(i -> NastyNames.ALL.get(i % NastyNames.ALL.size()))
            .toList();
  }

  private Policy policy(int number, Choice choice) {
    return scene.policy(
        "{p}:" + number, choice.limits().as(kinds.get(choice.kind() % kinds.size())));
  }

  void play(LimitTrace trace) {
    trace.steps().forEach(this::play);
    for (Policy policy : policies) {
      keys.forEach(key -> compareUsage(1, policy, key));
    }
  }

  private void play(Step step) {
    switch (step) {
      case Step.Decide decide -> decide(decide);
      case Step.Take take -> {
        AcquireRequest request = request(List.of(take.part()));
        LimitRequest limitRequest = request.parts().getFirst();
        boolean isTaken =
            scene
                .node(take.node())
                .take(limitRequest.policy(), limitRequest.key(), limitRequest.cost());
        model.checkTake(limitRequest, isTaken);
        compareUsages(take.node(), request);
      }
      case Step.Peek peek -> {
        AcquireRequest request = request(peek.parts());
        note(model.checkPeek(request, scene.node(peek.node()).peek(request)));
        compareUsages(peek.node(), request);
      }
      case Step.Refund refund -> refund(refund);
      case Step.Forget forget -> {
        Policy policy = policies.get(forget.policy());
        String key = keys.get(forget.key());
        scene.node(forget.node()).forget(policy, key);
        model.forget(policy, key);
        compareUsage(forget.node(), policy, key);
      }
      case Step.Change change ->
          policies.set(change.policy(), policy(change.policy(), change.limit()));
      case Step.Settle settle -> {
        Policy policy = policies.get(settle.policy());
        scene.node(settle.node()).settle(policy);
        keys.forEach(
            key -> {
              model.settle(policy, key);
              compareUsage(settle.node(), policy, key);
            });
      }
      case Step.SettleKey settle -> {
        Policy policy = policies.get(settle.policy());
        String key = keys.get(settle.key());
        scene.node(settle.node()).settle(policy, key);
        model.settle(policy, key);
        compareUsage(settle.node(), policy, key);
      }
      case Step.MoveClock move -> moveClock(move.micros());
      case Step.AwaitRetry await -> moveClock(retryMicros + await.moreMicros());
      case Step.AwaitReset await -> moveClock(resetMicros + await.moreMicros());
      case Step.AwaitTtl await ->
          model
              .forgetsAtMicros(id(await.requestId()))
              .ifPresent(at -> moveClock(at - scene.nowMicros() + await.moreMicros()));
    }
  }

  private void decide(Step.Decide decide) {
    AcquireRequest request = request(decide);
    AcquireResult result = scene.node(decide.node()).decide(request);
    note(model.checkDecide(request, result));
    if (result.isAllowed() && !result.isReplayed()) {
      grants.add(new Granted(request, result.decidedAt()));
    }
    compareUsages(decide.node(), request);
  }

  private void refund(Step.Refund refund) {
    if (refund.ago() >= grants.size()) {
      return;
    }
    Granted granted = grants.get(grants.size() - 1 - refund.ago());
    AcquireRequest request = granted.request();
    // The store may have forgotten it or not.
    if (request.isRepeatable() && !model.isRefundClear(request.requestId())) {
      return;
    }
    assertThat(scene.node(refund.node()).refund(request, granted.at()))
        .isEqualTo(model.refund(request, granted.at()));
    compareUsages(refund.node(), request);
  }

  private void note(AcquireResult result) {
    for (Outcome decision : result.outcomes()) {
      resetMicros = decision.resetMicros();
      if (decision instanceof Decision.Refused refused) {
        retryMicros = refused.retryAfterMicros();
      }
    }
  }

  /** Stays within two centuries, because a store's own clock shows the present. */
  private void moveClock(long micros) {
    Instant time = scene.clock.instant().plus(Micros.duration(micros));
    if (time.isAfter(FIRST) && time.isBefore(LAST)) {
      scene.clock.set(time);
      model.moveClock(scene.nowMicros());
    }
  }

  private void compareUsages(int node, AcquireRequest request) {
    request
        .parts()
        .forEach(limitRequest -> compareUsage(1 - node, limitRequest.policy(), limitRequest.key()));
  }

  private void compareUsage(int node, Policy policy, String key) {
    assertThat(scene.node(node).usage(policy, key)).isIn(model.usages(policy, key));
  }

  private AcquireRequest request(Step.Decide decide) {
    AcquireRequest request = request(decide.parts());
    if (decide.requestId() == LimitTrace.NO_ID) {
      return request;
    }
    Map<Integer, Delayed> waits = new HashMap<>();
    for (int i = 0; i < request.parts().size(); i++) {
      if ((decide.waits() >> i & 1) == 1) {
        waits.put(i, new Delayed(i, 2L + i, 3L + decide.waits(), 1 + i));
      }
    }
    return new AcquireRequest(
        request.parts(),
        waits,
        new AcquireRequest(
                request.parts(), id(decide.requestId()), Duration.ofMillis(decide.ttlMillis()))
            .binding());
  }

  private AcquireRequest request(List<Part> parts) {
    List<LimitRequest> limitRequests = new ArrayList<>();
    for (Part part : parts) {
      Policy policy = policies.get(part.policy());
      limitRequests.add(
          new LimitRequest(policy, keys.get(part.key()), part.costOf(policy.limit().maxCost())));
    }
    return AcquireRequest.all(limitRequests);
  }

  private String id(int number) {
    return scene.requestId("{id}" + number);
  }
}
