package dev.weir.payments.workflows;

import dev.weir.limits.Concurrency;
import dev.weir.limits.Lease;
import dev.weir.limits.LeaseDecision;
import dev.weir.limits.LiveLeases;
import dev.weir.store.tck.internal.Explorer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The ceiling by leases, with calls that hang, as a model.
 *
 * <p>Nodes take places, send calls and give places back, as {@link LeaseCeiling}, {@link
 * PaymentCalls} and {@link HttpDownstream} do. A call arrives whenever it likes, up to the time for
 * which the downstream may be suspended and a call may be late. Between any two steps a node may
 * die, a connection may end, and the lease store may miss what it is told. The decisions about
 * leases are those of {@link Concurrency}, which the kit of lease stores compares with all stores;
 * {@code LeaseCeilingTest} shows that {@link LeaseCeiling} takes these steps.
 *
 * <p>All times are what is left of them, in half seconds, so the model has no clock and no end.
 */
final class CeilingModel implements Explorer.Model<CeilingModel.State> {
  private static final int SECOND = 2;
  private static final int HESITATION = 1;
  private static final int MAX_CALL = 1;
  private static final int PAUSE = 2;
  private static final int LATENESS = 1;
  private static final long MICROS = 500_000;

  /** A mistake that the model must detect. */
  enum Fault {
    NONE,
    /** A place is taken for a call and its lateness, not for a pause of the downstream. */
    EXPIRY_WITHOUT_PAUSE,
    /** A place is given back with the answer. */
    RELEASED_WITH_ANSWER,
    /** A place is given back when its call is given up, after the lateness and a second. */
    RELEASED_WHEN_GIVEN_UP,
    /** A call may be sent at any time after its permission. */
    NO_HESITATION_CHECK,
    /** A call that is repeated shares the lease of the call before. */
    ONE_LEASE_FOR_A_PAYMENT,
    /** An answer ends the places of all calls that were given up, of later ones too. */
    ANSWER_ENDS_ALL
  }

  /**
   * What happens at most.
   *
   * @param max the ceiling
   * @param calls the number of calls that are unfinished at the same time
   * @param untold the number of ends that the store has not been told at the same time
   */
  record Bounds(int max, int calls, int nodes, int untold) {}

  /** What the caller of a call does. */
  enum Caller {
    PERMITTED,
    WAITING,
    GIVEN_UP,
    /** The caller has learned how the call ended, or has died. */
    GONE
  }

  /**
   * A call.
   *
   * @param lease the number of its lease
   * @param left how long the caller may still hesitate, then how long it still waits
   * @param travel how long the call may still arrive or be worked on at the downstream; negative if
   *     it was not sent, or no longer
   * @param arrived half seconds since it arrived, up to a second; negative if it has not
   * @param isOpen whether it has arrived and is being worked on
   * @param givenUp the calls, by lease, that its node had given up when this one asked
   * @param sentBefore the calls that were sent before this one
   */
  record Call(
      int lease,
      int node,
      Caller caller,
      int left,
      int travel,
      int arrived,
      boolean isOpen,
      List<Integer> givenUp,
      List<Integer> sentBefore) {
    Call caller(Caller next, int nextLeft) {
      return new Call(lease, node, next, nextLeft, travel, arrived, isOpen, givenUp, sentBefore);
    }

    Call travel(int next) {
      return new Call(lease, node, caller, left, next, arrived, isOpen, givenUp, sentBefore);
    }

    Call at(int nextArrived, boolean nextIsOpen) {
      return new Call(
          lease, node, caller, left, travel, nextArrived, nextIsOpen, givenUp, sentBefore);
    }

    Call sentAfter(List<Integer> others) {
      return new Call(lease, node, caller, left, travel, arrived, isOpen, givenUp, others);
    }

    Call knowing(List<Integer> calls) {
      return new Call(
          lease,
          node,
          caller,
          left,
          travel,
          arrived,
          isOpen,
          caller == Caller.GONE ? List.of() : common(givenUp, calls),
          caller == Caller.GONE ? List.of() : common(sentBefore, calls));
    }

    private static List<Integer> common(List<Integer> some, List<Integer> others) {
      return some.stream().filter(others::contains).toList();
    }

    boolean counts() {
      return isOpen || (arrived >= 0 && arrived < SECOND);
    }

    boolean isOver() {
      return caller == Caller.GONE && travel < 0 && !counts();
    }
  }

  /** An end of a lease that the store could not be told. */
  record Untold(int node, int lease, int delay) {}

  /**
   * The state of all parts.
   *
   * @param leases in the lease store, with the time that is left of them
   */
  record State(List<Lease> leases, List<Call> calls, List<Untold> untold) {
    State call(Call next) {
      return calls(calls.stream().map(call -> call.lease() == next.lease() ? next : call).toList());
    }

    /** Calls that are over are forgotten, by others too. */
    State calls(List<Call> next) {
      List<Call> open = next.stream().filter(call -> !call.isOver()).toList();
      List<Integer> ids = open.stream().map(Call::lease).toList();
      return new State(leases, open.stream().map(call -> call.knowing(ids)).toList(), untold);
    }

    State leases(List<Lease> next) {
      return new State(next, calls, untold);
    }

    State untold(List<Untold> next) {
      return new State(leases, calls, next);
    }
  }

  private final Bounds bounds;
  private final Fault fault;

  CeilingModel(Bounds bounds, Fault fault) {
    this.bounds = bounds;
    this.fault = fault;
  }

  @Override
  public State initial() {
    return new State(List.of(), List.of(), List.of());
  }

  @Override
  public Optional<String> violation(State state) {
    long open = state.calls().stream().filter(Call::counts).count();
    return open <= bounds.max()
        ? Optional.empty()
        : Optional.of("%d calls within a second, the max is %d".formatted(open, bounds.max()));
  }

  @Override
  public List<Explorer.Step<State>> steps(State state) {
    List<Explorer.Step<State>> steps = new ArrayList<>();
    for (int node = 0; node < bounds.nodes(); node++) {
      addEntries(state, node, steps);
      if (isKnown(state, node)) {
        steps.add(step("node %c: is killed".formatted('A' + node), killed(state, node)));
      }
    }
    for (Call call : state.calls()) {
      addSteps(state, call, steps);
    }
    // Whoever waits for a call looks at the clock before time goes on.
    if (state.calls().stream()
        .noneMatch(call -> call.caller() == Caller.WAITING && call.left() == 0)) {
      steps.add(step("half a second passes", later(state)));
    }
    return steps;
  }

  private static boolean isKnown(State state, int node) {
    return state.untold().stream().anyMatch(untold -> untold.node() == node)
        || state.calls().stream()
            .anyMatch(call -> call.node() == node && call.caller() != Caller.GONE);
  }

  /** As {@link LeaseCeiling#enter}: what the store could not be told comes first. */
  private void addEntries(State state, int node, List<Explorer.Step<State>> steps) {
    String name = "node %c: ".formatted('A' + node);
    List<Untold> own = state.untold().stream().filter(untold -> untold.node() == node).toList();
    if (!own.isEmpty()) {
      Untold first = own.getFirst();
      List<Untold> rest = new ArrayList<>(state.untold());
      rest.remove(first);
      steps.add(
          step(
              name + "tell the end of lease " + first.lease(),
              ended(state.untold(rest), first.lease(), first.delay())));
      return;
    }
    if (state.calls().size() < bounds.calls()) {
      int id = newLease(state);
      LiveLeases.Step<?> taken = places().acquire(live(state), "" + sharedLease(id), 1, 0);
      if (taken.decision() instanceof LeaseDecision.Held) {
        State held = state.leases(taken.next().leases());
        List<Call> calls = new ArrayList<>(held.calls());
        calls.add(
            new Call(
                id,
                node,
                Caller.PERMITTED,
                HESITATION,
                -1,
                -1,
                false,
                givenUp(state, node),
                List.of()));
        steps.add(step(name + "take a place for call " + id, held.calls(calls)));
        addUntold(
            held, new Untold(node, id, 0), name + "take a place, and the reply is lost", steps);
      }
    }
  }

  /** The smallest number that no part remembers. */
  private static int newLease(State state) {
    int id = 1;
    while (isUsed(state, id)) {
      id++;
    }
    return id;
  }

  private static boolean isUsed(State state, int id) {
    return state.calls().stream().anyMatch(call -> call.lease() == id)
        || state.untold().stream().anyMatch(untold -> untold.lease() == id)
        || state.leases().stream().anyMatch(lease -> lease.id().equals("" + id));
  }

  private int sharedLease(int id) {
    return fault == Fault.ONE_LEASE_FOR_A_PAYMENT ? 1 : id;
  }

  private static List<Integer> givenUp(State state, int node) {
    return state.calls().stream()
        .filter(call -> call.node() == node && call.caller() == Caller.GIVEN_UP)
        .map(Call::lease)
        .toList();
  }

  private void addSteps(State state, Call call, List<Explorer.Step<State>> steps) {
    String name = "call %d: ".formatted(call.lease());
    switch (call.caller()) {
      case PERMITTED -> {
        if (call.left() > 0 || fault == Fault.NO_HESITATION_CHECK) {
          steps.add(step(name + "is sent", sent(state, call)));
        } else {
          steps.add(
              step(
                  name + "is not sent, because its permission is too old",
                  ended(state.call(call.caller(Caller.GONE, 0)), call.lease(), 0)));
        }
      }
      case WAITING, GIVEN_UP -> {
        if (call.isOpen()) {
          Call answered = call.at(call.arrived(), false).travel(-1).caller(Caller.GONE, 0);
          State decided = decided(state.call(answered), call);
          int delay = fault == Fault.RELEASED_WITH_ANSWER ? 0 : SECOND;
          addEnd(decided, call, delay, name + "is answered", steps);
        }
        Call cut = call.caller(Caller.GONE, 0).travel(Math.min(call.travel(), LATENESS));
        addEnd(state.call(cut), call, LATENESS + SECOND, name + "loses its connection", steps);
        if (call.caller() == Caller.WAITING && call.left() == 0) {
          State givenUp = state.call(call.caller(Caller.GIVEN_UP, 0));
          steps.add(
              step(
                  name + "is given up, its connection stays open",
                  fault == Fault.RELEASED_WHEN_GIVEN_UP
                      ? ended(givenUp, call.lease(), LATENESS + SECOND)
                      : givenUp));
        }
      }
      case GONE -> {
        // Nobody waits for it, but it may still arrive.
      }
    }
    if (call.travel() >= 0 && call.arrived() < 0) {
      steps.add(step(name + "arrives", state.call(call.at(0, true))));
    }
    if (call.isOpen()) {
      steps.add(
          step(
              name + "is done, and its answer is lost",
              state.call(call.at(call.arrived(), false).travel(-1))));
    }
  }

  private static State sent(State state, Call call) {
    List<Integer> before =
        state.calls().stream().filter(other -> other.travel() >= 0).map(Call::lease).toList();
    return state.call(
        call.caller(Caller.WAITING, MAX_CALL)
            .travel(MAX_CALL + PAUSE + LATENESS)
            .sentAfter(before));
  }

  /**
   * A downstream that decides is not suspended: what was sent before the call that it has decided
   * can only be late. So the node ends the places of calls that it had given up by then.
   */
  private State decided(State state, Call call) {
    State next =
        state.calls(
            state.calls().stream()
                .map(
                    other ->
                        call.sentBefore().contains(other.lease()) && other.travel() >= 0
                            ? other.travel(Math.min(other.travel(), LATENESS))
                            : other)
                .toList());
    for (Call other : state.calls()) {
      if (other.node() == call.node()
          && other.caller() == Caller.GIVEN_UP
          && (call.givenUp().contains(other.lease()) || fault == Fault.ANSWER_ENDS_ALL)) {
        next = ended(next, other.lease(), LATENESS + SECOND);
      }
    }
    return next;
  }

  /** Adds the end of a place: the store is told, or will be. */
  private void addEnd(
      State state, Call call, int delay, String action, List<Explorer.Step<State>> steps) {
    steps.add(step(action, ended(state, call.lease(), delay)));
    addUntold(
        state,
        new Untold(call.node(), call.lease(), delay),
        action + ", and the store is away",
        steps);
  }

  private void addUntold(State state, Untold end, String action, List<Explorer.Step<State>> steps) {
    if (state.untold().size() < bounds.untold()) {
      List<Untold> untold = new ArrayList<>(state.untold());
      untold.add(end);
      untold.sort(Comparator.comparingInt(Untold::lease));
      steps.add(step(action, state.untold(List.copyOf(untold))));
    }
  }

  private State ended(State state, int lease, int delay) {
    String id = "" + sharedLease(lease);
    LiveLeases live = live(state);
    LiveLeases.Step<?> step =
        delay == 0
            ? Concurrency.release(live, id, 0)
            : Concurrency.releaseAfter(live, id, delay * MICROS, 0);
    return state.leases(step.next().leases());
  }

  /** Connections end, but a downstream that is suspended looks at the calls when it goes on. */
  private static State killed(State state, int node) {
    UnaryOperator<Call> orphaned = call -> call.node() == node ? call.caller(Caller.GONE, 0) : call;
    return state
        .calls(state.calls().stream().map(orphaned).toList())
        .untold(state.untold().stream().filter(untold -> untold.node() != node).toList());
  }

  private static State later(State state) {
    List<Lease> leases =
        state.leases().stream()
            .filter(lease -> lease.expiresAtMicros() > MICROS)
            .map(lease -> new Lease(lease.id(), 1, lease.expiresAtMicros() - MICROS))
            .toList();
    return state.leases(leases).calls(state.calls().stream().map(CeilingModel::later).toList());
  }

  private static Call later(Call call) {
    int travel = Math.max(call.travel() - 1, -1);
    int arrived = call.arrived() < 0 ? call.arrived() : Math.min(call.arrived() + 1, SECOND);
    return call.caller(call.caller(), Math.max(call.left() - 1, 0))
        .travel(travel)
        .at(arrived, call.isOpen() && travel >= 0);
  }

  private Concurrency places() {
    int pause = fault == Fault.EXPIRY_WITHOUT_PAUSE ? 0 : PAUSE;
    return new Concurrency(
        bounds.max(), (HESITATION + MAX_CALL + pause + LATENESS + SECOND) * MICROS);
  }

  private static LiveLeases live(State state) {
    LiveLeases live = LiveLeases.NONE;
    for (Lease lease : state.leases()) {
      live =
          new Concurrency(Concurrency.MAX_PLACES, lease.expiresAtMicros())
              .acquire(live, lease.id(), 1, 0)
              .next();
    }
    return live;
  }

  private static Explorer.Step<State> step(String action, State next) {
    return new Explorer.Step<>(action, next);
  }
}
