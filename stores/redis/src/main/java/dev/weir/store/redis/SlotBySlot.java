package dev.weir.store.redis;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Outcome;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.Refund;
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
 * A demand whose keys lie in several slots of a Cluster, where no step reaches all of them: each
 * slot decides about its part, and what was taken is given back if another refuses.
 *
 * <p>No limit ever grants more than it says. Weaker than one step is: while a demand is decided,
 * another may be refused by what this one takes and gives back; a node that dies in between, or a
 * slot that does not answer, leaves what was taken as used. So that demands that are refused anyway
 * take nothing, all slots are asked first what they would say; not if the demand has a request id,
 * because it may have been granted before. Each slot remembers the id with its part: a demand that
 * is repeated after it was half done is completed and takes nothing twice.
 */
final class SlotBySlot {
  private final AcquireRequest demand;
  private final List<Part> parts;
  private final KeyNames names;
  private final Function<List<LimitCall>, List<CallResult>> store;

  /** What one slot decides: asks of the demand, and their positions in it. */
  private record Part(AcquireRequest demand, List<Integer> positions) {}

  /**
   * @param store sends calls together and returns what became of each
   */
  SlotBySlot(
      KeyNames names, AcquireRequest demand, Function<List<LimitCall>, List<CallResult>> store) {
    this.names = names;
    this.demand = demand;
    this.store = store;
    this.parts = parts(names, demand);
  }

  private static List<Part> parts(KeyNames names, AcquireRequest demand) {
    Map<Integer, List<Integer>> slots = new TreeMap<>();
    for (int i = 0; i < demand.asks().size(); i++) {
      LimitRequest ask = demand.asks().get(i);
      slots
          .computeIfAbsent(
              SlotHash.getSlot(names.usage(ask.policy(), ask.key())), slot -> new ArrayList<>())
          .add(i);
    }
    List<Part> parts = new ArrayList<>(slots.size());
    for (List<Integer> positions : slots.values()) {
      List<LimitRequest> asks = new ArrayList<>(positions.size());
      positions.forEach(position -> asks.add(demand.asks().get(position)));
      parts.add(
          new Part(
              new AcquireRequest(asks, waits(demand, positions), demand.request()), positions));
    }
    return parts;
  }

  private static Map<Integer, Delayed> waits(AcquireRequest demand, List<Integer> positions) {
    Map<Integer, Delayed> waits = new HashMap<>(0);
    for (int k = 0; k < positions.size(); k++) {
      @Nullable Delayed wait = demand.waits().get(positions.get(k));
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
    if (!demand.isRepeatable()) {
      AcquireResult looked = StoreException.whileReading(this::peek);
      if (!looked.isAllowed()) {
        return looked;
      }
    }
    List<CallResult> outcomes =
        send(parts, LimitCall.Mode.DECIDE, Micros.floor(demand.requestTtl()));
    if (outcomes.stream().allMatch(SlotBySlot::isGranted)) {
      return merged(answers(outcomes));
    }
    giveBack(outcomes);
    // If one has failed, others may have taken all the same.
    return merged(untouched(StoreException.afterDone(() -> answers(outcomes))));
  }

  AcquireResult peek() {
    return merged(answers(send(parts, LimitCall.Mode.PEEK, 0)));
  }

  /** What each slot remembers of the request id, if all of them do. */
  Optional<AcquireResult> recall() {
    List<AcquireResult> known = new ArrayList<>(parts.size());
    for (CallResult outcome : send(parts, LimitCall.Mode.RECALL, 0)) {
      switch (outcome) {
        case CallResult.Answered answered -> known.add(answered.answer());
        case CallResult.Unknown unknown -> {}
        case CallResult.Failed failed -> throw StoreException.shared(failed.failure());
        case CallResult.Taken taken -> throw unexpected(taken);
        case CallResult.GivenBack back -> throw unexpected(back);
      }
    }
    Optional<AcquireResult> reused = known.stream().filter(AcquireResult::isReused).findFirst();
    return reused.isPresent() || known.size() < parts.size() ? reused : Optional.of(merged(known));
  }

  /** Another request's id in one slot is another request's; else what one gives back is given. */
  Refund refund(Instant grantedAt) {
    Refund refund = Refund.UNKNOWN;
    for (CallResult outcome : send(parts, LimitCall.Mode.REFUND, Micros.clamped(grantedAt))) {
      Refund here = givenBack(outcome);
      refund = refund == Refund.UNKNOWN ? here : refund;
    }
    return refund;
  }

  private static Refund givenBack(CallResult outcome) {
    return switch (outcome) {
      case CallResult.GivenBack back -> back.refund();
      case CallResult.Failed failed -> throw StoreException.shared(failed.failure());
      case CallResult.Answered answered -> throw unexpected(answered);
      case CallResult.Unknown unknown -> throw unexpected(unknown);
      case CallResult.Taken taken -> throw unexpected(taken);
    };
  }

  private static IllegalStateException unexpected(CallResult outcome) {
    return new IllegalStateException("no one asked for " + outcome);
  }

  /**
   * Gives back what was taken just now. What was granted to the same request before stays: its
   * caller may have acted on it.
   */
  private void giveBack(List<CallResult> outcomes) {
    List<LimitCall> calls = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      if (outcomes.get(i) instanceof CallResult.Answered answered
          && isGranted(answered)
          && !answered.answer().isReplayed()) {
        calls.add(
            call(
                parts.get(i),
                LimitCall.Mode.REFUND,
                Micros.clamped(answered.answer().decidedAt())));
      }
    }
    if (!calls.isEmpty()) {
      // Where that fails, too much stays counted, and the demand is refused all the same.
      var unused = store.apply(calls);
    }
  }

  private List<CallResult> send(List<Part> all, LimitCall.Mode mode, long micros) {
    return store.apply(all.stream().map(part -> call(part, mode, micros)).toList());
  }

  private LimitCall call(Part part, LimitCall.Mode mode, long micros) {
    return LimitCall.Whole.of(names, true, mode, part.demand(), micros);
  }

  private static boolean isGranted(CallResult outcome) {
    return outcome instanceof CallResult.Answered answered && answered.answer().isAllowed();
  }

  private static List<AcquireResult> answers(List<CallResult> outcomes) {
    List<AcquireResult> answers = new ArrayList<>(outcomes.size());
    for (CallResult outcome : outcomes) {
      switch (outcome) {
        case CallResult.Answered answered -> answers.add(answered.answer());
        case CallResult.Failed failed -> throw StoreException.shared(failed.failure());
        case CallResult.Taken taken -> throw unexpected(taken);
        case CallResult.GivenBack back -> throw unexpected(back);
        case CallResult.Unknown unknown -> throw unexpected(unknown);
      }
    }
    return answers;
  }

  /** What the answers would be if nothing had been taken. */
  private List<AcquireResult> untouched(List<AcquireResult> answers) {
    List<AcquireResult> untouched = new ArrayList<>(answers.size());
    for (int i = 0; i < parts.size(); i++) {
      AcquireResult answer = answers.get(i);
      if (!answer.isAllowed() || answer.isReplayed()) {
        untouched.add(answer);
        continue;
      }
      List<Outcome> decisions = new ArrayList<>(answer.outcomes().size());
      for (int k = 0; k < answer.outcomes().size(); k++) {
        LimitRequest ask = parts.get(i).demand().asks().get(k);
        Outcome granted = answer.outcomes().get(k);
        long remaining = granted.remaining() + ask.cost();
        long reset = remaining >= ask.policy().limit().maxCost() ? 0 : granted.resetMicros();
        decisions.add(
            granted instanceof Delayed ? granted : new Decision.Allowed(remaining, reset));
      }
      untouched.add(new AcquireResult(decisions, answer.decidedAt(), answer.mode()));
    }
    return untouched;
  }

  /**
   * One answer to the whole. It was decided when the first slot did: what is given back by that
   * time is rather too little than too much.
   */
  private AcquireResult merged(List<AcquireResult> answers) {
    for (AcquireResult answer : answers) {
      if (answer.isReused()) {
        return answer;
      }
    }
    Outcome[] decisions = new Outcome[demand.asks().size()];
    Instant decidedAt = answers.getFirst().decidedAt();
    boolean isReplayed = true;
    for (int i = 0; i < parts.size(); i++) {
      AcquireResult answer = answers.get(i);
      List<Integer> positions = parts.get(i).positions();
      for (int k = 0; k < positions.size(); k++) {
        if (!answer.outcomes().isEmpty()) {
          decisions[positions.get(k)] = answer.outcomes().get(k);
        }
      }
      decidedAt = answer.decidedAt().isBefore(decidedAt) ? answer.decidedAt() : decidedAt;
      isReplayed &= answer.isReplayed();
    }
    // Without decisions if rules have changed since: then they are not about these asks.
    boolean areComplete = Arrays.stream(decisions).allMatch(Objects::nonNull);
    return new AcquireResult(
        areComplete ? List.of(decisions) : List.of(),
        decidedAt,
        AcquireResult.Mode.STORE,
        isReplayed ? answers.getFirst().repetition() : AcquireResult.Repetition.NONE);
  }
}
