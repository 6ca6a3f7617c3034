package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Queue;
import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireRequest;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import dev.weir.engine.limits.RequestBinding;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The evaluation of one request by the enforced rules: first leases, then all counters in one step,
 * then places in queues. Not thread-safe.
 *
 * <p>Leases and places have ids that no other evaluation has, even one with the same request id:
 * each gives back only what it took itself. The counting step records the request, so of several
 * evaluations with one id, one is granted and the others find its result.
 */
final class Evaluation {
  private final RuleEvaluator.Stores stores;
  private final HeldLeases held;
  private final Supplier<HeldTicket> tickets;
  private final InstantSource wallClock;
  private final List<RuleCheck> asked;
  private final List<Integer> counted;
  private final RequestBinding request;
  private final HeldLeases.Holder holder;
  private final Outcome[] decisions;
  private HeldTicket ticket;
  private AcquireResult.Mode mode = AcquireResult.Mode.STORE;
  private Optional<Instant> decidedAt = Optional.empty();

  /** The recorded result of the request id. */
  private Optional<AcquireResult> known = Optional.empty();

  private boolean isGranted;

  /** True if the counters may have been taken from, although no response says so. */
  private boolean isOutcomeUnknown;

  private boolean isReplayed;

  /** True if the request was refunded while it was repeated, which is detected once. */
  private boolean isRefunded;

  private long delayMicros;
  private int position;

  /**
   * Creates an evaluation.
   *
   * @param tickets creates the tickets that hold what is taken
   */
  Evaluation(
      RuleEvaluator.Stores stores,
      HeldLeases held,
      Supplier<HeldTicket> tickets,
      InstantSource wallClock,
      List<RuleCheck> asked,
      RequestBinding request,
      HeldLeases.Holder holder) {
    this.stores = stores;
    this.held = held;
    this.tickets = tickets;
    this.wallClock = wallClock;
    this.asked = asked;
    this.request = request;
    this.holder = holder;
    this.decisions = new Outcome[asked.size()];
    this.ticket = tickets.get();
    this.counted = new ArrayList<>(asked.size());
    for (int i = 0; i < asked.size(); i++) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Counted) {
        counted.add(i);
      }
    }
  }

  /**
   * Returns true if it takes leases and has a request id, so that it may be sent twice
   * concurrently.
   */
  boolean isRepeatableWithLeases() {
    return request.isPresent() && counted.size() < asked.size();
  }

  Verdict decide() {
    if (isRepeatableWithLeases()) {
      // Before a lease is taken: a caller that holds the last place and repeats its request is not
      // refused.
      known = stores.counts().recall(demand(Map.of()));
    }
    if (known.isEmpty()) {
      decideAnew();
    }
    return known.map(this::repeated).orElseGet(this::verdict);
  }

  private void decideAnew() {
    boolean hasLeases = false;
    try {
      hasLeases = leases(this::newLeaseId, held::acquire);
      isGranted = hasLeases && counts();
    } finally {
      // Also if a store has thrown: nothing is kept that no caller would give back.
      if (!isGranted) {
        if (isOutcomeUnknown && request.isPresent()) {
          // Another node may have answered the repeated request with this lease. If the request was
          // not counted, the lease expires.
          ticket.leaveToRequestId();
        }
        ticket.close();
      }
    }
    if (!hasLeases && request.isPresent()) {
      // The same request, sent twice, may have taken the place meanwhile.
      known = stores.counts().recall(demand(Map.of()));
    }
  }

  private Verdict verdict() {
    List<RuleResult> said = new ArrayList<>(asked.size());
    for (int i = 0; i < decisions.length; i++) {
      if (decisions[i] != null) {
        said.add(new RuleResult(asked.get(i), decisions[i]));
      }
    }
    if (!isGranted) {
      return new Verdict.Refused(said, mode, decidedAt, isOutcomeUnknown);
    }
    if (request.isPresent()) {
      ticket.leaveToRequestId();
    }
    if (delayMicros == 0) {
      ticket.waited();
      return new Verdict.Passed(said, mode, decidedAt, ticket, isReplayed);
    }
    ticket.queue();
    return new Verdict.Queued(said, mode, decidedAt, ticket, delayMicros, position, isReplayed);
  }

  /** Returns the verdict on a request whose id is recorded. */
  private Verdict repeated(AcquireResult answer) {
    if (!(answer.repetition() instanceof AcquireResult.Repetition.Replayed replayed)) {
      return new Verdict.Reused(answer.decidedAt());
    }
    isReplayed = true;
    ticket = tickets.get();
    // The lease is still held, or has ended and is acquired again: the place of a request that
    // proceeds without one would be granted to another.
    boolean isFirstLook = !isRefunded;
    isRefunded = false;
    isGranted = false;
    try {
      isGranted = leases(replayed::note, held::acquireAgain) && (!isFirstLook || isStillKnown());
    } finally {
      if (!isGranted) {
        ticket.close();
      }
    }
    if (isRefunded) {
      return askedAfterRefund();
    }
    delayMicros = 0;
    position = 0;
    note(answer);
    for (int k = 0; k < answer.outcomes().size(); k++) {
      Outcome decision = answer.outcomes().get(k);
      decisions[counted.get(k)] = decision;
      if (decision instanceof Delayed delayed) {
        delayMicros = Math.max(delayMicros, delayed.delayMicros());
        position = Math.max(position, delayed.position());
      }
    }
    delayMicros = Math.max(0, delayMicros - Micros.floor(replayed.ago()));
    return verdict();
  }

  /**
   * Returns true if the request is still recorded. A lease that is acquired again may have ended
   * because the request was refunded since the lookup: then no caller would give the new one back.
   */
  private boolean isStillKnown() {
    isRefunded = !ticket.isEmpty() && stores.counts().recall(demand(Map.of())).isEmpty();
    return !isRefunded;
  }

  /** Decides as if the request arrived after its refund. */
  private Verdict askedAfterRefund() {
    isReplayed = false;
    known = Optional.empty();
    ticket = tickets.get();
    Arrays.fill(decisions, null);
    isOutcomeUnknown = false;
    decideAnew();
    return known.map(this::repeated).orElseGet(this::verdict);
  }

  /** Returns true if this evaluation took something. */
  boolean hasTaken() {
    return isGranted && !isReplayed;
  }

  boolean isHeldByNode() {
    return holder == HeldLeases.Holder.NODE;
  }

  /** Acquires a lease for a shadow rule, which is given back with the others. */
  LeaseDecision lease(RuleCheck onlooking, LimitedRule.Leased leased) {
    return held.acquire(onlooking, leased, UUID.randomUUID().toString(), holder, ticket);
  }

  private UUID newLeaseId() {
    return request.isPresent() ? request.note() : UUID.randomUUID();
  }

  /** An operation that acquires a lease. */
  @FunctionalInterface
  private interface Taking {
    LeaseDecision take(
        RuleCheck asked,
        LimitedRule.Leased leased,
        String leaseId,
        HeldLeases.Holder holder,
        HeldTicket ticket);
  }

  private boolean leases(Supplier<UUID> newId, Taking taking) {
    if (counted.size() == asked.size()) {
      return true;
    }
    String leaseId = newId.get().toString();
    for (int i = 0; i < decisions.length; i++) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Leased leased) {
        LeaseDecision decision = taking.take(asked.get(i), leased, leaseId, holder, ticket);
        decisions[i] = decided(leased, asked.get(i).cost(), decision);
        if (!decision.isGranted()) {
          return false;
        }
      }
    }
    return true;
  }

  private Decision decided(LimitedRule.Leased leased, long cost, LeaseDecision decision) {
    int max = leased.concurrency().max();
    long ttlMicros = leased.concurrency().ttlMicros();
    long free = Math.max(0, max - decision.current());
    return switch (decision) {
      case LeaseDecision.Held given -> {
        decidedAt = Optional.of(givenAt(given.lease(), ttlMicros));
        yield new Decision.Allowed(free, ttlMicros);
      }
      case LeaseDecision.Full full -> {
        decidedAt = Optional.of(now());
        yield new Decision.Refused(free, full.retryAfterMicros(), full.retryAfterMicros());
      }
      case LeaseDecision.Unchecked unchecked -> {
        mode = AcquireResult.Mode.OPEN;
        decidedAt = Optional.of(givenAt(unchecked.lease(), ttlMicros));
        yield new Decision.Allowed(max - cost, ttlMicros);
      }
      case LeaseDecision.Unavailable gone -> {
        mode = AcquireResult.Mode.CLOSED;
        decidedAt = Optional.of(now());
        yield new Decision.Refused(0, gone.retryAfterMicros(), gone.retryAfterMicros());
      }
      case LeaseDecision.Gone gone -> throw new IllegalStateException("a new lease is gone");
    };
  }

  /** Returns the time at which the lease was granted, by the clock of its store. */
  private static Instant givenAt(Lease lease, long ttlMicros) {
    return Micros.instant(lease.expiresAtMicros() - ttlMicros);
  }

  private Instant now() {
    return wallClock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * Takes from all counters. Counters that refuse and have a queue are queued for instead; then all
   * are requested again, so that each is either taken from or queued for. Without counters, the
   * request is only recorded.
   */
  private boolean counts() {
    Map<Integer, Delayed> waits = new HashMap<>(0);
    while (request.isPresent() ? !asked.isEmpty() : waits.size() < counted.size()) {
      AcquireRequest demand = demand(waits);
      AcquireResult answer = decideCounts(demand);
      if (answer.isReplayed() || answer.isReused()) {
        known = Optional.of(answer);
        return false;
      }
      note(answer);
      for (int k = 0; k < counted.size(); k++) {
        if (!waits.containsKey(k)) {
          decisions[counted.get(k)] = answer.outcomes().get(k);
        }
      }
      if (answer.isAllowed()) {
        ticket.taken(stores.counts(), demand, answer);
        return true;
      }
      // Refused because the usage is unknown, or granted and not known: waiting does not change
      // that.
      boolean isUndecided =
          answer.mode() == AcquireResult.Mode.CLOSED || (isOutcomeUnknown && request.isPresent());
      if (isUndecided || !join(waits)) {
        return false;
      }
    }
    return true;
  }

  private AcquireResult decideCounts(AcquireRequest demand) {
    isOutcomeUnknown = true;
    try {
      AcquireResult answer = stores.counts().decide(demand);
      isOutcomeUnknown = answer.isOutcomeUnknown();
      return answer;
    } catch (StoreException e) {
      isOutcomeUnknown = e.outcome() == StoreException.Outcome.UNKNOWN;
      throw e;
    }
  }

  private void note(AcquireResult answer) {
    if (answer.mode() == AcquireResult.Mode.STORE) {
      // The mode stays open if a lease was admitted unchecked, even if the counters were available.
      decidedAt = Optional.of(answer.decidedAt());
    } else if (!counted.isEmpty()) {
      mode = answer.mode();
      decidedAt = Optional.of(answer.decidedAt());
    }
  }

  private AcquireRequest demand(Map<Integer, Delayed> waits) {
    List<LimitRequest> asks = new ArrayList<>(counted.size());
    for (int i : counted) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Counted means) {
        asks.add(new LimitRequest(means.policy(), asked.get(i).key(), asked.get(i).cost()));
      }
    }
    return new AcquireRequest(asks, waits, request);
  }

  /**
   * Takes a place in the queue of each counter that refuses; returns false if one has no queue or
   * no place.
   */
  private boolean join(Map<Integer, Delayed> waits) {
    for (int i : counted) {
      if (decisions[i] instanceof Decision.Refused && queue(i).isEmpty()) {
        return false;
      }
    }
    boolean isIn = true;
    for (int k = 0; k < counted.size(); k++) {
      int i = counted.get(k);
      if (decisions[i] instanceof Decision.Refused refused) {
        decisions[i] = join(asked.get(i), queue(i).orElseThrow(), refused);
        if (decisions[i] instanceof Delayed delayed) {
          waits.put(k, delayed);
        } else {
          isIn = false;
        }
      }
    }
    return isIn;
  }

  private Optional<Queue> queue(int i) {
    return asked.get(i).rule().means() instanceof LimitedRule.Counted means
        ? means.queue()
        : Optional.empty();
  }

  private Outcome join(RuleCheck asking, Queue queue, Decision.Refused refused) {
    String placeId = UUID.randomUUID().toString();
    String resource = RuleEvaluator.resourceOfQueue(asking);
    LeaseDecision joined =
        stores.leases().join(resource, queue, placeId, asking.rule().rule().createdAt());
    if (joined instanceof LeaseDecision.Held) {
      ticket.place(stores.leases(), resource, placeId);
    }
    Outcome outcome = queue.outcome(refused, joined);
    if (outcome instanceof Delayed delayed) {
      delayMicros = Math.max(delayMicros, delayed.delayMicros());
      position = Math.max(position, delayed.position());
    }
    return outcome;
  }

  void count(Verdict verdict) {
    for (RuleResult said : verdict.said()) {
      said.rule().tally().count(RuleCounters.Kind.of(said.outcome(), isReplayed));
    }
  }
}
