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
 * each slot decides its part, and permits are refunded if another slot refuses.
 *
 * <p>No limit is ever exceeded. The guarantees are otherwise weaker than those of one step: while a
 * request is decided, another may be refused because of permits that this one takes and refunds; if
 * a node dies in between, or a slot does not respond, permits stay taken. To take nothing for
 * requests that are refused anyway, all slots are peeked first, unless the request has a request
 * id, because then it may have been granted before. Each slot remembers the id with its part: if a
 * request is repeated after it was half done, it is completed and takes nothing twice.
 */
final class SlotBySlot {
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
    if (!request.isRepeatable()) {
      AcquireResult looked = StoreException.whileReading(this::peek);
      if (!looked.isAllowed()) {
        return looked;
      }
    }
    List<CallResult> outcomes =
        send(parts, LimitCall.Mode.DECIDE, Micros.floor(request.requestTtl()));
    if (outcomes.stream().allMatch(SlotBySlot::isGranted)) {
      return merged(results(outcomes));
    }
    refundGranted(outcomes);
    // If one slot has failed, others may still have taken permits.
    return merged(untouched(StoreException.afterDone(() -> results(outcomes))));
  }

  AcquireResult peek() {
    return merged(results(send(parts, LimitCall.Mode.PEEK, 0)));
  }

  /** Returns the remembered result of the request id, if all slots remember it. */
  Optional<AcquireResult> recall() {
    List<AcquireResult> known = new ArrayList<>(parts.size());
    for (CallResult outcome : send(parts, LimitCall.Mode.RECALL, 0)) {
      outcome.orThrow().recalled().ifPresent(known::add);
    }
    Optional<AcquireResult> reused = known.stream().filter(AcquireResult::isReused).findFirst();
    return reused.isPresent() || known.size() < parts.size() ? reused : Optional.of(merged(known));
  }

  /** Returns the first result of a slot other than {@code UNKNOWN}, if there is one. */
  Refund refund(Instant grantedAt) {
    Refund refund = Refund.UNKNOWN;
    for (CallResult outcome : send(parts, LimitCall.Mode.REFUND, Micros.clamped(grantedAt))) {
      Refund ofSlot = outcome.orThrow().refund();
      refund = refund == Refund.UNKNOWN ? ofSlot : refund;
    }
    return refund;
  }

  /**
   * Refunds what this call took. What was granted to the same request before stays taken: its
   * caller may have acted on it.
   */
  private void refundGranted(List<CallResult> outcomes) {
    List<LimitCall> calls = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      if (outcomes.get(i) instanceof CallResult.Reply reply
          && reply.result().isAllowed()
          && !reply.result().isReplayed()) {
        calls.add(call(parts.get(i), LimitCall.Mode.REFUND, reply.decidedAtMicros()));
      }
    }
    if (!calls.isEmpty()) {
      // If a refund fails, its permits stay taken, and the request is refused anyway.
      var unused = store.apply(calls);
    }
  }

  private List<CallResult> send(List<Part> all, LimitCall.Mode mode, long micros) {
    return store.apply(all.stream().map(part -> call(part, mode, micros)).toList());
  }

  private LimitCall call(Part part, LimitCall.Mode mode, long micros) {
    return LimitCall.Whole.of(names, true, mode, part.request(), micros);
  }

  private static boolean isGranted(CallResult outcome) {
    return outcome instanceof CallResult.Reply reply && reply.result().isAllowed();
  }

  private static List<AcquireResult> results(List<CallResult> outcomes) {
    return outcomes.stream().map(outcome -> outcome.orThrow().result()).toList();
  }

  /** Returns the results as if nothing had been taken. */
  private List<AcquireResult> untouched(List<AcquireResult> results) {
    List<AcquireResult> untouched = new ArrayList<>(results.size());
    for (int i = 0; i < parts.size(); i++) {
      AcquireResult result = results.get(i);
      if (!result.isAllowed() || result.isReplayed()) {
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
   * refund by that time returns too little rather than too much.
   */
  private AcquireResult merged(List<AcquireResult> results) {
    for (AcquireResult result : results) {
      if (result.isReused()) {
        return result;
      }
    }
    Outcome[] decisions = new Outcome[request.parts().size()];
    Instant decidedAt = results.getFirst().decidedAt();
    boolean isReplayed = true;
    for (int i = 0; i < parts.size(); i++) {
      AcquireResult result = results.get(i);
      List<Integer> positions = parts.get(i).positions();
      for (int k = 0; k < positions.size(); k++) {
        if (!result.outcomes().isEmpty()) {
          decisions[positions.get(k)] = result.outcomes().get(k);
        }
      }
      decidedAt = result.decidedAt().isBefore(decidedAt) ? result.decidedAt() : decidedAt;
      isReplayed &= result.isReplayed();
    }
    // If the rules have changed since, remembered decisions do not belong to these limits.
    boolean areComplete = Arrays.stream(decisions).allMatch(Objects::nonNull);
    return new AcquireResult(
        areComplete ? List.of(decisions) : List.of(),
        decidedAt,
        AcquireResult.Mode.STORE,
        isReplayed ? results.getFirst().repetition() : AcquireResult.Repetition.NONE);
  }
}
