package dev.weir.rules;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Delayed;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Queue;
import dev.weir.limits.RequestBinding;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
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
  private final List<RuleCheck> checks;

  /** The indexes of the checks of rules that count. */
  private final List<Integer> counted;

  /**
   * The indexes of the checks of rules that grant leases, in the order of their resources: of
   * requests that name the same rules in other orders, one gets all leases.
   */
  private final List<Integer> leased;

  private final RequestBinding request;
  private final HeldLeases.Holder holder;
  private final PendingVerdict pending;
  private HeldTicket ticket;

  /** The recorded result of the request id. */
  private Optional<AcquireResult> known = Optional.empty();

  /** True if the counter store may have granted the request, but its response was lost. */
  private boolean isOutcomeUnknown;

  private boolean isGranted;

  private boolean isReplayed;

  /** True if the request was refunded while it was repeated, which is detected once. */
  private boolean isRefunded;

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
      List<RuleCheck> checks,
      RequestBinding request,
      HeldLeases.Holder holder) {
    this.stores = stores;
    this.held = held;
    this.tickets = tickets;
    this.checks = checks;
    this.request = request;
    this.holder = holder;
    this.pending = new PendingVerdict(checks, wallClock);
    this.ticket = tickets.get();
    this.counted = new ArrayList<>(checks.size());
    this.leased = new ArrayList<>(0);
    for (int i = 0; i < checks.size(); i++) {
      switch (checks.get(i).rule().kind()) {
        case LimitedRule.Counted any -> counted.add(i);
        case LimitedRule.Leased any -> leased.add(i);
      }
    }
    if (leased.size() > 1) {
      leased.sort(Comparator.comparing(i -> checks.get(i).leaseResource()));
    }
  }

  /**
   * Returns true if it takes leases and has a request id, so that it may be sent twice
   * concurrently.
   */
  boolean isRepeatableWithLeases() {
    return request.isPresent() && !leased.isEmpty();
  }

  /** Decides a request without a request id. */
  Verdict.Decided decideOnce() {
    decideAnew();
    return verdict();
  }

  /** Decides a request that may have been decided before. */
  Verdict decide() {
    if (isRepeatableWithLeases()) {
      // Before a lease is taken: a caller that holds the last place and repeats its request is not
      // refused.
      known = recallIfPossible();
    }
    if (known.isEmpty()) {
      decideAnew();
    }
    return known.map(this::repeated).orElseGet(this::verdict);
  }

  /**
   * Returns the recorded result; empty also if the store does not answer: a request that finds a
   * place is decided without it, as its rules define.
   */
  private Optional<AcquireResult> recallIfPossible() {
    try {
      return stores.counts().recall(acquireRequest(Map.of()));
    } catch (StoreException e) {
      // It has been reported, and the request will be decided without the store.
      return Optional.empty();
    }
  }

  /**
   * Returns the recorded result.
   *
   * @throws StoreException if the store cannot be asked: an earlier request with this id may have
   *     been granted
   */
  private Optional<AcquireResult> recall() {
    return StoreException.afterDone(() -> stores.counts().recall(acquireRequest(Map.of())));
  }

  private void decideAnew() {
    boolean hasLeases = false;
    try {
      hasLeases = takeLeases(this::newLeaseId, held::acquire);
      isGranted = hasLeases && takeCounts();
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
      // The same request may hold the place: sent twice, or granted earlier and not known above.
      known = recall();
    }
  }

  private Verdict.Decided verdict() {
    if (!isGranted) {
      return pending.refused();
    }
    if (request.isPresent()) {
      ticket.leaveToRequestId();
    }
    if (pending.isDelayed()) {
      ticket.queue();
      return pending.queued(ticket, isReplayed);
    }
    ticket.waited();
    return pending.passed(ticket, isReplayed);
  }

  /** Returns the verdict on a request whose id is recorded. */
  private Verdict repeated(AcquireResult recorded) {
    if (!(recorded.repetition() instanceof AcquireResult.Repetition.Replayed replayed)) {
      return new Verdict.Reused(recorded.decidedAt());
    }
    isReplayed = true;
    ticket = tickets.get();
    // The lease is still held, or has ended and is acquired again: the place of a request that
    // proceeds without one would be granted to another.
    boolean isFirstLook = !isRefunded;
    isRefunded = false;
    isGranted = false;
    try {
      isGranted =
          takeLeases(replayed::note, held::acquireAgain) && (!isFirstLook || isStillKnown());
    } finally {
      if (!isGranted) {
        ticket.close();
      }
    }
    if (isRefunded) {
      return decideAfterRefund();
    }
    pending.clearDelay();
    pending.noteRepeated(recorded, !counted.isEmpty());
    for (int k = 0; k < recorded.outcomes().size(); k++) {
      pending.set(counted.get(k), recorded.outcomes().get(k));
    }
    pending.hasWaited(Micros.floor(replayed.ago()));
    return verdict();
  }

  /**
   * Returns true if the request is still recorded. A lease that is acquired again may have ended
   * because the request was refunded since the lookup: then no caller would give the new one back.
   */
  private boolean isStillKnown() {
    isRefunded = !ticket.isEmpty() && recall().isEmpty();
    return !isRefunded;
  }

  /** Decides as if the request arrived after its refund. */
  private Verdict decideAfterRefund() {
    isReplayed = false;
    known = Optional.empty();
    ticket = tickets.get();
    pending.clear();
    isOutcomeUnknown = false;
    decideAnew();
    return known.map(this::repeated).orElseGet(this::verdict);
  }

  /** Returns true if this evaluation took something. */
  boolean hasTaken() {
    return isGranted && !isReplayed;
  }

  /** Closes the ticket, because a failure keeps it from the caller. */
  void giveBackAfter(Throwable failure) {
    try {
      ticket.close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  boolean isHeldByNode() {
    return holder == HeldLeases.Holder.NODE;
  }

  /** Acquires a lease for a shadow rule, which is given back with the others. */
  LeaseDecision.Acquisition lease(RuleCheck shadow, LimitedRule.Leased leased) {
    return held.acquire(shadow, leased, UUID.randomUUID().toString(), holder, ticket);
  }

  private UUID newLeaseId() {
    return request.isPresent() ? request.note() : UUID.randomUUID();
  }

  /** An operation that acquires a lease. */
  @FunctionalInterface
  private interface Acquisition {
    LeaseDecision.Acquisition acquire(
        RuleCheck check,
        LimitedRule.Leased leased,
        String leaseId,
        HeldLeases.Holder holder,
        HeldTicket ticket);
  }

  private boolean takeLeases(Supplier<UUID> newId, Acquisition acquisition) {
    if (leased.isEmpty()) {
      return true;
    }
    String leaseId = newId.get().toString();
    for (int i : leased) {
      RuleCheck check = checks.get(i);
      if (check.rule().kind() instanceof LimitedRule.Leased rule) {
        LeaseDecision.Acquisition decision =
            acquisition.acquire(check, rule, leaseId, holder, ticket);
        pending.lease(i, rule, decision);
        if (!decision.isGranted()) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Takes from all counters. Counters that refuse and have a queue are queued for instead; then all
   * are requested again, so that each is either taken from or queued for. Without counters, the
   * request is only recorded.
   */
  private boolean takeCounts() {
    Map<Integer, Delayed> waits = new HashMap<>(0);
    while (request.isPresent() ? !checks.isEmpty() : waits.size() < counted.size()) {
      AcquireRequest acquireRequest = acquireRequest(waits);
      AcquireResult result = decideCounts(acquireRequest);
      if (result.isReplayed() || result.isReused()) {
        known = Optional.of(result);
        return false;
      }
      pending.note(result, !counted.isEmpty());
      for (int k = 0; k < counted.size(); k++) {
        if (!waits.containsKey(k)) {
          pending.set(counted.get(k), result.outcomes().get(k));
        }
      }
      if (result.isAllowed()) {
        ticket.taken(stores.counts(), acquireRequest, result);
        return true;
      }
      // Refused because the usage is unknown, or granted and not known: waiting does not change
      // that.
      boolean isUndecided =
          result.mode() == AcquireResult.Mode.CLOSED || (isOutcomeUnknown && request.isPresent());
      if (isUndecided || !joinQueues(waits)) {
        return false;
      }
    }
    return true;
  }

  private AcquireResult decideCounts(AcquireRequest acquireRequest) {
    isOutcomeUnknown = true;
    try {
      AcquireResult result = stores.counts().decide(acquireRequest);
      isOutcomeUnknown = result.isOutcomeUnknown();
      return result;
    } catch (StoreException e) {
      isOutcomeUnknown = e.outcome() == StoreException.Outcome.UNKNOWN;
      throw e;
    }
  }

  private AcquireRequest acquireRequest(Map<Integer, Delayed> waits) {
    List<LimitRequest> requests = new ArrayList<>(counted.size());
    for (int i : counted) {
      RuleCheck check = checks.get(i);
      if (check.rule().kind() instanceof LimitedRule.Counted limit) {
        requests.add(new LimitRequest(limit.policy(), check.key(), check.cost()));
      }
    }
    return new AcquireRequest(requests, waits, request);
  }

  /**
   * Takes a place in the queue of each counter that refuses; returns false if one has no queue or
   * no place.
   */
  private boolean joinQueues(Map<Integer, Delayed> waits) {
    for (int i : counted) {
      if (pending.refusal(i) != null && queue(i).isEmpty()) {
        return false;
      }
    }
    boolean isIn = true;
    for (int k = 0; k < counted.size(); k++) {
      int i = counted.get(k);
      Decision.Refused refused = pending.refusal(i);
      if (refused != null) {
        Outcome outcome = join(checks.get(i), queue(i).orElseThrow(), refused);
        pending.set(i, outcome);
        if (outcome instanceof Delayed delayed) {
          waits.put(k, delayed);
        } else {
          isIn = false;
        }
      }
    }
    return isIn;
  }

  private Optional<Queue> queue(int i) {
    return checks.get(i).rule().kind() instanceof LimitedRule.Counted limit
        ? limit.queue()
        : Optional.empty();
  }

  private Outcome join(RuleCheck check, Queue queue, Decision.Refused refused) {
    String placeId = UUID.randomUUID().toString();
    String resource = check.queueResource();
    LeaseDecision.Acquisition joined =
        stores.leases().join(resource, queue, placeId, check.rule().leaseHistory());
    if (joined instanceof LeaseDecision.Held) {
      ticket.place(stores.leases(), resource, placeId);
    }
    return queue.outcome(refused, joined);
  }

  void count(Verdict verdict) {
    for (RuleResult result : verdict.results()) {
      result.check().count(RuleCounters.Kind.of(result.outcome(), isReplayed));
    }
  }
}
