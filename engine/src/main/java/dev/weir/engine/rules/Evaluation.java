package dev.weir.engine.rules;

import dev.weir.core.Micros;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Delayed;
import dev.weir.core.limits.Lease;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Queue;
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
 * One request on its way through the rules that enforce: leases first, then all that counts in one
 * step, then places in queues. Not thread-safe.
 *
 * <p>Leases and places have ids that no other attempt has, also if another one has the same request
 * id: each gives back what it took itself. The step that counts remembers the request, so of
 * several attempts with one id one is granted, and the others find that.
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

  /** What is known of the request id. */
  private Optional<AcquireResult> known = Optional.empty();

  private boolean isGranted;
  private boolean isReplayed;

  /** Whether the request was refunded while it was repeated, which is found once. */
  private boolean isRefunded;

  private long delayMicros;
  private int position;

  /**
   * @param tickets are filled with what is taken
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

  /** Whether it takes leases, and may be sent twice at the same moment. */
  boolean isRepeatableWithLeases() {
    return request.isPresent() && counted.size() < asked.size();
  }

  Verdict decide() {
    if (isRepeatableWithLeases()) {
      // Before a lease is taken: whoever holds the last place and asks again is not refused.
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
      // Also if a store has thrown: nothing is kept that nobody will give back.
      if (!isGranted) {
        ticket.close();
      }
    }
    if (!hasLeases && request.isPresent()) {
      // The place may have been taken since by the same request, sent twice.
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
      return new Verdict.Refused(said, mode, decidedAt);
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

  /** The verdict on a request whose id is known. */
  private Verdict repeated(AcquireResult answer) {
    if (!(answer.repetition() instanceof AcquireResult.Repetition.Replayed replayed)) {
      return new Verdict.Reused(answer.decidedAt());
    }
    isReplayed = true;
    ticket = tickets.get();
    // The lease is still held, or has ended and is taken again: the place of a request that goes
    // on without one would be given to another.
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
   * Whether the request is still remembered. A lease that is taken again may have ended because the
   * request was refunded since it was looked up: then no caller would give the new one back.
   */
  private boolean isStillKnown() {
    isRefunded = !ticket.isEmpty() && stores.counts().recall(demand(Map.of())).isEmpty();
    return !isRefunded;
  }

  /** Decides as if the request were asked after its refund. */
  private Verdict askedAfterRefund() {
    isReplayed = false;
    known = Optional.empty();
    ticket = tickets.get();
    Arrays.fill(decisions, null);
    decideAnew();
    return known.map(this::repeated).orElseGet(this::verdict);
  }

  /** Whether something was taken by this attempt. */
  boolean hasTaken() {
    return isGranted && !isReplayed;
  }

  boolean isHeldByNode() {
    return holder == HeldLeases.Holder.NODE;
  }

  /** Takes a lease by a rule that only looks on, to be given back with the others. */
  LeaseDecision lease(RuleCheck onlooking, LimitedRule.Leased leased) {
    return held.acquire(onlooking, leased, UUID.randomUUID().toString(), holder, ticket);
  }

  private UUID newLeaseId() {
    return request.isPresent() ? request.note() : UUID.randomUUID();
  }

  /** How a lease is taken. */
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

  /** By the clock of the store that gave the lease. */
  private static Instant givenAt(Lease lease, long ttlMicros) {
    return Micros.instant(lease.expiresAtMicros() - ttlMicros);
  }

  private Instant now() {
    return wallClock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /**
   * Takes of all that count. Those that refuse and have a queue are waited for instead; then all
   * are asked again, so that each is either taken from or waited for. Without any that count, the
   * request is only remembered.
   */
  private boolean counts() {
    Map<Integer, Delayed> waits = new HashMap<>(0);
    while (request.isPresent() ? !asked.isEmpty() : waits.size() < counted.size()) {
      AcquireRequest demand = demand(waits);
      AcquireResult answer = stores.counts().decide(demand);
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
      // Refused because nobody knows what was used: a wait makes that no better.
      if (answer.mode() == AcquireResult.Mode.CLOSED || !join(waits)) {
        return false;
      }
    }
    return true;
  }

  private void note(AcquireResult answer) {
    if (answer.mode() == AcquireResult.Mode.STORE) {
      // A lease that was let pass shows, even if the counts were there.
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

  /** Takes a place in the queue of each that refuses; false if one has none. */
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
