package dev.weir.engine.rules;

import dev.weir.core.limits.Decision;
import dev.weir.core.limits.LeaseDecision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Queue;
import dev.weir.engine.limits.Answer;
import dev.weir.engine.limits.Ask;
import dev.weir.engine.limits.Demand;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One request on its way through the rules that enforce: leases first, then all that counts in one
 * step, then places in queues. Not thread-safe.
 */
final class Attempt {
  private final RuleDesk.Stores stores;
  private final HeldLeases held;
  private final HeldTicket ticket;
  private final List<Asked> asked;
  private final RuleDesk.Repeat repeat;
  private final HeldLeases.Holder holder;
  private final Decision[] decisions;
  private Answer.Mode mode = Answer.Mode.STORE;
  private Optional<Instant> decidedAt = Optional.empty();
  private boolean isReplayed;
  private long delayMicros;
  private int position;

  /**
   * @param ticket to be filled with what is taken
   */
  Attempt(
      RuleDesk.Stores stores,
      HeldLeases held,
      HeldTicket ticket,
      List<Asked> asked,
      RuleDesk.Repeat repeat,
      HeldLeases.Holder holder) {
    this.stores = stores;
    this.held = held;
    this.ticket = ticket;
    this.asked = asked;
    this.repeat = repeat;
    this.holder = holder;
    this.decisions = new Decision[asked.size()];
  }

  Verdict decide() {
    boolean isGranted = false;
    try {
      isGranted = leases() && counts();
    } finally {
      // Also if a store has thrown: nothing is kept that nobody will give back.
      if (!isGranted) {
        ticket.close();
      }
    }
    List<Said> said = new ArrayList<>(asked.size());
    for (int i = 0; i < decisions.length; i++) {
      if (decisions[i] != null) {
        said.add(new Said(asked.get(i), decisions[i]));
      }
    }
    if (!isGranted) {
      return new Verdict.Refused(said, mode, decidedAt);
    }
    if (position == 0) {
      ticket.waited();
      return new Verdict.Passed(said, mode, decidedAt, ticket, isReplayed);
    }
    ticket.queue();
    return new Verdict.Queued(said, mode, decidedAt, ticket, delayMicros, position);
  }

  boolean isHeldByNode() {
    return holder == HeldLeases.Holder.NODE;
  }

  /** Takes a lease by a rule that only looks on, to be given back with the others. */
  LeaseDecision lease(Asked onlooking, LimitedRule.Leased leased) {
    return held.acquire(onlooking, leased, UUID.randomUUID().toString(), holder, ticket);
  }

  private boolean leases() {
    for (int i = 0; i < decisions.length; i++) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Leased leased) {
        LeaseDecision decision = held.acquire(asked.get(i), leased, id(), holder, ticket);
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
    long free = Math.max(0, max - decision.current());
    return switch (decision) {
      case LeaseDecision.Held given -> new Decision.Allowed(free, 0);
      case LeaseDecision.Full full ->
          new Decision.Refused(free, full.retryAfterMicros(), full.retryAfterMicros());
      case LeaseDecision.Unchecked unchecked -> {
        mode = Answer.Mode.OPEN;
        yield new Decision.Allowed(max - cost, 0);
      }
      case LeaseDecision.Unavailable gone -> {
        mode = Answer.Mode.CLOSED;
        yield new Decision.Refused(0, gone.retryAfterMicros(), gone.retryAfterMicros());
      }
      case LeaseDecision.Gone gone -> throw new IllegalStateException("a new lease is gone");
    };
  }

  /**
   * Takes of all that count. Those that refuse and have a queue are waited for instead; then the
   * others are asked again without them, so that each is either taken from or waited for.
   */
  private boolean counts() {
    List<Integer> left = new ArrayList<>(decisions.length);
    for (int i = 0; i < decisions.length; i++) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Counted) {
        left.add(i);
      }
    }
    while (!left.isEmpty()) {
      Demand<Limit> demand = demand(left);
      Answer answer = stores.counts().decide(demand);
      // A lease that was let pass shows, even if the counts were there.
      mode = answer.mode() == Answer.Mode.STORE ? mode : answer.mode();
      decidedAt = Optional.of(answer.decidedAt());
      isReplayed = answer.isReplayed();
      for (int k = 0; k < left.size(); k++) {
        decisions[left.get(k)] = answer.decisions().get(k);
      }
      if (answer.isAllowed()) {
        ticket.taken(stores.counts(), demand, answer);
        return true;
      }
      if (!join(left)) {
        return false;
      }
      left.removeIf(i -> decisions[i] instanceof Decision.Delayed);
    }
    return true;
  }

  private Demand<Limit> demand(List<Integer> left) {
    List<Ask<? extends Limit>> asks = new ArrayList<>(left.size());
    for (int i : left) {
      if (asked.get(i).rule().means() instanceof LimitedRule.Counted counted) {
        asks.add(new Ask<>(counted.policy(), asked.get(i).key(), asked.get(i).cost()));
      }
    }
    return new Demand<>(asks, repeat.requestId(), repeat.ttl());
  }

  /** Takes a place in the queue of each that refuses; false if one has none. */
  private boolean join(List<Integer> left) {
    for (int i : left) {
      if (decisions[i] instanceof Decision.Refused && queue(i).isEmpty()) {
        return false;
      }
    }
    boolean isIn = true;
    for (int i : left) {
      if (decisions[i] instanceof Decision.Refused refused) {
        decisions[i] = join(asked.get(i), queue(i).orElseThrow(), refused);
        isIn &= decisions[i] instanceof Decision.Delayed;
      }
    }
    return isIn;
  }

  private Optional<Queue> queue(int i) {
    return asked.get(i).rule().means() instanceof LimitedRule.Counted counted
        ? counted.queue()
        : Optional.empty();
  }

  private String id() {
    return repeat.requestId().isEmpty() ? UUID.randomUUID().toString() : repeat.requestId();
  }

  private Decision join(Asked asking, Queue queue, Decision.Refused refused) {
    String placeId = id();
    String resource = RuleDesk.resourceOfQueue(asking);
    return switch (stores
        .leases()
        .join(resource, queue, placeId, asking.rule().rule().createdAt())) {
      case LeaseDecision.Held place -> {
        ticket.place(stores.leases(), resource, placeId);
        yield waiting(queue, place.current(), refused);
      }
      case LeaseDecision.Unchecked place -> waiting(queue, 1, refused);
      case LeaseDecision.Full full ->
          new Decision.Refused(
              refused.remaining(),
              refused.resetMicros(),
              Math.min(refused.retryAfterMicros(), full.retryAfterMicros()));
      case LeaseDecision.Gone gone -> refused;
      case LeaseDecision.Unavailable gone -> refused;
    };
  }

  private Decision waiting(Queue queue, int place, Decision.Refused refused) {
    long delay = place * queue.delayMicros();
    delayMicros = Math.max(delayMicros, delay);
    position = Math.max(position, place);
    return new Decision.Delayed(refused.remaining(), refused.resetMicros(), delay, place);
  }

  void count(Verdict verdict) {
    for (Said said : verdict.said()) {
      said.rule().tally().count(Tally.Outcome.of(said.decision(), isReplayed));
    }
  }
}
