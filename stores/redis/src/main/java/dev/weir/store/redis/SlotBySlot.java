package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Refund;
import io.lettuce.core.cluster.SlotHash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request whose keys are in several slots of a Cluster, where no atomic step covers all of them:
 * the slots decide their parts one after the other, and permits are given back if a later one
 * refuses.
 *
 * <p>No limit is ever exceeded. The guarantees are otherwise weaker than those of one step: while a
 * request is decided, another may be refused because of permits that this one takes and gives back;
 * if a node dies in between, or a slot does not respond, permits stay taken. To take nothing for
 * requests that are refused anyway, all slots are peeked first. Each slot remembers a request id
 * with its part: if a request is repeated after it was half done, it is completed and takes nothing
 * twice.
 *
 * <p>Copies of a request, with one request id, may meet. Each slot grants once for all of them, and
 * counts the copies that go on with its grant, so that one that is refused later gives nothing back
 * that another relies on. The one that was granted by the last slot is new; the others repeat it.
 *
 * <p>Requests that meet do not all refuse each other. All take in the order of the slots, so what
 * stands in the way of a request in a slot was granted, or belongs to a request that goes on to a
 * later slot, or was refused there. The one that is refused in the latest slot was refused because
 * of what was granted. If each took of all slots at once, one could have the last permit of one
 * slot, another that of the other, and both would be refused.
 */
final class SlotBySlot {
  /** The outcome of a part that would be granted, and of which no more is known. */
  private static final Outcome NOTHING_LEFT = new Decision.Allowed(0, 0);

  private final AcquireRequest request;
  private final List<Part> parts;
  private final KeyNames names;
  private final Function<List<LimitCall>, List<CallResult>> store;

  /** The part of one slot: some limits of the request, and their positions in it. */
  private record Part(AcquireRequest request, List<Integer> positions) {}

  /**
   * @param store sends calls in one batch and returns the result of each
   */
  SlotBySlot(
      KeyNames names, AcquireRequest request, Function<List<LimitCall>, List<CallResult>> store) {
    this.names = names;
    this.request = request;
    this.store = store;
    this.parts = parts(names, request);
  }

  private static List<Part> parts(KeyNames names, AcquireRequest request) {
    Map<Integer, List<Integer>> slots = new TreeMap<>();
    for (int i = 0; i < request.parts().size(); i++) {
      LimitRequest limitRequest = request.parts().get(i);
      slots
          .computeIfAbsent(
              SlotHash.getSlot(names.usage(limitRequest.policy(), limitRequest.key())),
              slot -> new ArrayList<>())
          .add(i);
    }
    List<Part> parts = new ArrayList<>(slots.size());
    for (List<Integer> positions : slots.values()) {
      List<LimitRequest> limitRequests = new ArrayList<>(positions.size());
      positions.forEach(position -> limitRequests.add(request.parts().get(position)));
      parts.add(
          new Part(
              new AcquireRequest(limitRequests, waits(request, positions), request.binding()),
              positions));
    }
    return parts;
  }

  private static Map<Integer, Delayed> waits(AcquireRequest request, List<Integer> positions) {
    Map<Integer, Delayed> waits = new HashMap<>(0);
    for (int k = 0; k < positions.size(); k++) {
      @Nullable Delayed wait = request.delays().get(positions.get(k));
      if (wait != null) {
        waits.put(k, wait);
      }
    }
    return waits;
  }

  boolean isNeeded() {
    return parts.size() > 1;
  }

  AcquireResult decide() {
    Optional<AcquireResult> known = StoreException.whileReading(this::look);
    return known.isPresent() ? known.get() : take();
  }

  /**
   * Returns the result if it needs no permits: the request is refused, was granted before, or has
   * the id of another one.
   */
  private Optional<AcquireResult> look() {
    List<LimitCall> calls = new ArrayList<>(calls(parts, LimitCall.Mode.PEEK, 0));
    if (request.isRepeatable()) {
      calls.addAll(calls(parts, LimitCall.Mode.RECALL, 0));
    }
    List<CallResult> looked = store.apply(calls);
    List<AcquireResult> known = known(looked.subList(parts.size(), looked.size()));
    if (known.isEmpty()) {
      AcquireResult peeked = merged(results(looked.subList(0, parts.size())));
      return peeked.isAllowed() ? Optional.empty() : Optional.of(peeked);
    }
    // What was half done is completed, whatever is left in the slots that have done it.
    return remembered(known);
  }

  private AcquireResult take() {
    List<AcquireResult> taken = new ArrayList<>(parts.size());
    for (Part part : parts) {
      switch (decide(part)) {
        case CallResult.Reply reply -> {
          AcquireResult result = reply.result();
          if (!result.isAllowed()) {
            return taken.isEmpty()
                ? StoreException.whileReading(() -> refused(taken, result))
                : StoreException.afterDone(() -> refused(taken, result));
          }
          taken.add(result);
        }
        case CallResult.Failed failed -> throw failed(taken, failed.failure());
      }
    }
    return merged(taken);
  }

  private CallResult decide(Part part) {
    try {
      return store
          .apply(List.of(call(part, LimitCall.Mode.JOIN, Micros.floor(request.requestTtl()))))
          .getFirst();
    } catch (StoreException e) {
      return new CallResult.Failed(e);
    }
  }

  /** Gives back what the slots before took, and looks at those that were not asked. */
  private AcquireResult refused(List<AcquireResult> taken, AcquireResult refusal) {
    List<LimitCall> calls = new ArrayList<>(departures(taken));
    int departures = calls.size();
    calls.addAll(calls(parts.subList(taken.size() + 1, parts.size()), LimitCall.Mode.PEEK, 0));
    List<CallResult> answers = calls.isEmpty() ? List.of() : store.apply(calls);
    List<AcquireResult> all = new ArrayList<>(untouched(taken));
    all.add(refusal);
    // If one fails, its permits stay taken, and the request is refused anyway.
    all.addAll(results(answers.subList(departures, answers.size())));
    return merged(all);
  }

  private StoreException failed(List<AcquireResult> taken, StoreException failure) {
    if (taken.isEmpty()) {
      return StoreException.shared(failure);
    }
    if (!mayBeGranted(taken, failure)) {
      var unused = StoreException.afterDone(() -> store.apply(departures(taken)));
    }
    return failure.withOutcome(StoreException.Outcome.UNKNOWN);
  }

  /**
   * Returns true if all slots may remember the request. Whoever repeats it may then already have
   * been told that it was granted.
   */
  private boolean mayBeGranted(List<AcquireResult> taken, StoreException failure) {
    return request.isRepeatable()
        && taken.size() == parts.size() - 1
        && failure.outcome() == StoreException.Outcome.UNKNOWN;
  }

  /**
   * Returns the calls that give back what this one took.
   *
   * @param taken the results of the first slots
   */
  private List<LimitCall> departures(List<AcquireResult> taken) {
    List<LimitCall> departures = new ArrayList<>(parts.size());
    for (int i = 0; i < taken.size(); i++) {
      long grantedMicros = Micros.clamped(taken.get(i).decidedAt());
      departures.add(call(parts.get(i), LimitCall.Mode.LEAVE, grantedMicros));
    }
    return departures;
  }

  AcquireResult peek() {
    return merged(results(send(LimitCall.Mode.PEEK, 0)));
  }

  /** Returns the remembered result of the request id, if all slots remember it. */
  Optional<AcquireResult> recall() {
    return remembered(known(send(LimitCall.Mode.RECALL, 0)));
  }

  /** Returns what the slots remember of the request id. */
  private static List<AcquireResult> known(List<CallResult> recalled) {
    List<AcquireResult> known = new ArrayList<>(recalled.size());
    for (CallResult outcome : recalled) {
      outcome.orThrow().recalled().ifPresent(known::add);
    }
    return known;
  }

  private Optional<AcquireResult> remembered(List<AcquireResult> known) {
    Optional<AcquireResult> reused = known.stream().filter(AcquireResult::isReused).findFirst();
    return reused.isPresent() || known.size() < parts.size() ? reused : Optional.of(merged(known));
  }

  /**
   * Returns the first result of a slot other than {@code UNKNOWN}, if there is one.
   *
   * @throws StoreException if a slot has failed; of unknown outcome if another has given back
   */
  Refund refund(Instant grantedAt) {
    Refund refund = Refund.UNKNOWN;
    List<StoreException> failures = new ArrayList<>(0);
    for (CallResult outcome : send(LimitCall.Mode.REFUND, Micros.clamped(grantedAt))) {
      switch (outcome) {
        case CallResult.Reply reply -> refund = refund == Refund.UNKNOWN ? reply.refund() : refund;
        case CallResult.Failed failed -> failures.add(failed.failure());
      }
    }
    if (!failures.isEmpty()) {
      boolean mayBeDone =
          refund == Refund.GIVEN_BACK
              || failures.stream()
                  .anyMatch(failure -> failure.outcome() == StoreException.Outcome.UNKNOWN);
      throw failures.getFirst().withOutcome(StoreException.Outcome.of(mayBeDone));
    }
    return refund;
  }

  private List<CallResult> send(LimitCall.Mode mode, long micros) {
    return store.apply(calls(parts, mode, micros));
  }

  private List<LimitCall> calls(List<Part> some, LimitCall.Mode mode, long micros) {
    return some.stream().map(part -> call(part, mode, micros)).toList();
  }

  private LimitCall call(Part part, LimitCall.Mode mode, long micros) {
    return LimitCall.Whole.of(names, true, mode, part.request(), micros);
  }

  private static List<AcquireResult> results(List<CallResult> outcomes) {
    return outcomes.stream().map(outcome -> outcome.orThrow().result()).toList();
  }

  /** Returns the results of the first slots as if nothing had been taken. */
  private List<AcquireResult> untouched(List<AcquireResult> taken) {
    List<AcquireResult> untouched = new ArrayList<>(taken.size());
    for (int i = 0; i < taken.size(); i++) {
      AcquireResult result = taken.get(i);
      if (result.isReplayed()) {
        untouched.add(result);
        continue;
      }
      List<Outcome> decisions = new ArrayList<>(result.outcomes().size());
      for (int k = 0; k < result.outcomes().size(); k++) {
        LimitRequest part = parts.get(i).request().parts().get(k);
        Outcome granted = result.outcomes().get(k);
        long remaining = granted.remaining() + part.cost();
        long reset = remaining >= part.policy().limit().maxCost() ? 0 : granted.resetMicros();
        decisions.add(
            granted instanceof Delayed ? granted : new Decision.Allowed(remaining, reset));
      }
      untouched.add(new AcquireResult(decisions, result.decidedAt(), result.mode()));
    }
    return untouched;
  }

  /**
   * Merges the results of all slots into one. Its time is that of the earliest slot, so that a
   * refund by that time returns too little rather than too much. It is repeated if the last slot
   * has granted it before, which is when all of them had.
   *
   * <p>If rules have changed since a slot granted its part, what it remembers has no outcomes for
   * these limits. A repeated request is then answered without outcomes; one that another slot
   * refuses stays refused.
   */
  private AcquireResult merged(List<AcquireResult> results) {
    for (AcquireResult result : results) {
      if (result.isReused()) {
        return result;
      }
    }
    Outcome[] decisions = new Outcome[request.parts().size()];
    Instant decidedAt = results.getFirst().decidedAt();
    for (int i = 0; i < parts.size(); i++) {
      AcquireResult result = results.get(i);
      List<Integer> positions = parts.get(i).positions();
      for (int k = 0; k < positions.size(); k++) {
        if (!result.outcomes().isEmpty()) {
          decisions[positions.get(k)] = result.outcomes().get(k);
        }
      }
      decidedAt = result.decidedAt().isBefore(decidedAt) ? result.decidedAt() : decidedAt;
    }
    AcquireResult.Repetition repetition = results.getLast().repetition();
    List<Outcome> outcomes = List.of();
    if (!results.stream().allMatch(AcquireResult::isAllowed)) {
      outcomes =
          Arrays.stream(decisions).map(known -> known == null ? NOTHING_LEFT : known).toList();
    } else if (Arrays.stream(decisions).allMatch(Objects::nonNull)) {
      outcomes = List.of(decisions);
    } else {
      repetition = repetitionWithoutOutcomes(results);
    }
    return new AcquireResult(outcomes, decidedAt, AcquireResult.Mode.STORE, repetition);
  }

  private static AcquireResult.Repetition repetitionWithoutOutcomes(List<AcquireResult> results) {
    return results.stream()
        .filter(result -> result.outcomes().isEmpty())
        .map(AcquireResult::repetition)
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }
}
