package dev.weir.store.surrealdb;

import dev.weir.StoreException;
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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Calls about limits: pure functions from requests to queries and from replies to results. */
final class LimitCall {
  private static final int GIVEN_BACK = 0;
  private static final int REUSED = 2;

  private LimitCall() {}

  /** The result of a step. */
  sealed interface Done {}

  /** The result of {@link LimitStep.Decide}. */
  record Decided(AcquireResult result) implements Done {}

  /** A plain step that {@code plain.surql} leaves to {@code limits.surql}. */
  record Unusual() implements Done {}

  /** The result of {@link LimitStep.GiveBack}. */
  record GivenBack(Refund refund) implements Done {}

  /** The result of {@link LimitStep.Settle}. */
  record Settled() implements Done {}

  /** The results of a request that was decided several times, and the usages after that. */
  private record Decisions(List<Done> results, int granted, List<Usage> next) {}

  /** Returns the query that runs plain steps as one transaction, as far as they are usual. */
  static Query plainSteps(PlainGroups groups, SurrealDbSettings settings, StoreClock clock) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("groups", groups.parameters());
    clock.addTo(call);
    return Query.call(Query.Script.PLAIN, settings, call);
  }

  /** Returns the query that runs all steps as one transaction. */
  static Query steps(List<LimitStep> steps, SurrealDbSettings settings, StoreClock clock) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("steps", steps.stream().map(LimitStep::parameters).toList());
    clock.addTo(call);
    return Query.call(Query.Script.LIMITS, settings, call);
  }

  /** Returns the results of each step: of a decision as many as it was made times. */
  static List<List<Done>> results(List<LimitStep> steps, Value reply) {
    long nowMicros = reply.get("now").number();
    List<Value> values = reply.get("done").items();
    List<List<Done>> done = new ArrayList<>(steps.size());
    for (int i = 0; i < steps.size(); i++) {
      Value value = values.get(i);
      done.add(
          switch (steps.get(i)) {
            case LimitStep.Decide decide -> decided(decide, value, nowMicros);
            case LimitStep.GiveBack refund -> List.of(new GivenBack(refund(value.number())));
            case LimitStep.Settle settle -> List.of(new Settled());
          });
    }
    return done;
  }

  /** Returns the results of each plain step, as many as it was made times. */
  static List<List<Done>> plainResults(PlainGroups groups, Value reply) {
    long nowMicros = reply.get("now").number();
    List<Optional<PlainGroups.Taken>> taken = groups.taken(reply.get("done"));
    List<List<Done>> done = new ArrayList<>(taken.size());
    for (int i = 0; i < taken.size(); i++) {
      LimitStep.Decide step = groups.steps().get(i);
      done.add(
          taken
              .get(i)
              .map(bucket -> decided(step, bucket, nowMicros))
              .orElseGet(() -> Collections.nCopies(step.times(), new Unusual())));
    }
    return done;
  }

  private static List<Done> decided(
      LimitStep.Decide step, PlainGroups.Taken taken, long nowMicros) {
    List<Limit> limits = List.of(step.request().parts().getFirst().policy().limit());
    Decisions decisions = decisions(step, limits, List.of(taken.before()), nowMicros);
    requireEqual(taken.debt(), decisions.next().getFirst().used());
    return decisions.results();
  }

  private static Refund refund(long outcome) {
    if (outcome == GIVEN_BACK) {
      return Refund.GIVEN_BACK;
    }
    return outcome == REUSED ? Refund.REUSED : Refund.UNKNOWN;
  }

  /**
   * Returns the results of a request, calculated by core from the usages that SurrealDB has found.
   * They have to be the decisions that SurrealDB has made.
   */
  private static List<Done> decided(LimitStep.Decide decide, Value value, long nowMicros) {
    AcquireRequest request = decide.request();
    Value known = value.get("known");
    if (known.isPresent()) {
      return List.of(
          new Decided(new RememberedRequest(known).resultFor(request, Micros.instant(nowMicros))));
    }
    List<Value> found = value.get("usages").items();
    List<Limit> limits = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      limits.add(limit(request.takingParts().get(i), found.get(i)));
    }
    List<Usage> usages = found.stream().map(LimitCall::usage).toList();
    Decisions decisions = decisions(decide, limits, usages, nowMicros);
    requireEqual(value.get("granted").number(), decisions.granted());
    return decisions.results();
  }

  private static Decisions decisions(
      LimitStep.Decide decide, List<Limit> limits, List<Usage> usages, long nowMicros) {
    AcquireRequest request = decide.request();
    List<Done> results = new ArrayList<>(decide.times());
    Instant now = Micros.instant(nowMicros);
    int granted = 0;
    List<Usage> before = usages;
    for (int i = 0; i < decide.times(); i++) {
      AllOrNothing.Step step = AllOrNothing.decide(parts(request, limits, before), nowMicros);
      results.add(
          new Decided(
              new AcquireResult(request.merged(step.decisions()), now, AcquireResult.Mode.STORE)));
      granted += step.isGranted() ? 1 : 0;
      before = step.next();
    }
    return new Decisions(results, granted, before);
  }

  private static void requireEqual(long bySurrealDb, long byCore) {
    if (bySurrealDb != byCore) {
      throw new StoreException(
          SurrealDb.STORE, StoreException.Outcome.UNKNOWN, "SurrealDB decides otherwise than Weir");
    }
  }

  private static List<AllOrNothing.Part> parts(
      AcquireRequest request, List<Limit> limits, List<Usage> usages) {
    List<LimitRequest> taking = request.takingParts();
    List<AllOrNothing.Part> parts = new ArrayList<>(taking.size());
    for (int i = 0; i < taking.size(); i++) {
      parts.add(new AllOrNothing.Part(limits.get(i), usages.get(i), taking.get(i).cost()));
    }
    return parts;
  }

  /** Returns the query that reads the usages of the parts that would take tokens. */
  static Query usages(AcquireRequest request, SurrealDbSettings settings, StoreClock clock) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("parts", LimitStep.parts(request));
    clock.addTo(call);
    return Query.call(Query.Script.USAGES, settings, call);
  }

  /** Returns the result of a request that takes nothing. */
  static AcquireResult peeked(AcquireRequest request, Value reply) {
    long nowMicros = reply.get("now").number();
    List<LimitRequest> taking = request.takingParts();
    List<Value> usages = reply.get("usages").items();
    List<Outcome> outcomes = new ArrayList<>(taking.size());
    for (int i = 0; i < taking.size(); i++) {
      LimitRequest part = taking.get(i);
      Value numbers = usages.get(i);
      outcomes.add(limit(part, numbers).peek(usage(numbers), part.cost(), nowMicros));
    }
    return new AcquireResult(
        request.merged(outcomes), Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  /** Returns the limit by which to decide on a usage, see {@link Policy#on}. */
  private static Limit limit(LimitRequest part, Value numbers) {
    int countedBy = Math.toIntExact(numbers.numbers()[4]);
    return part.policy().on(usage(numbers), countedBy).limit();
  }

  static Usage usage(Value numbers) {
    long[] usage = numbers.numbers();
    return new Usage(usage[0], usage[1], usage[2], usage[3]);
  }
}
