package dev.weir.payments.workflows;

import dev.weir.payments.workflows.RecordedCallsState.End;
import dev.weir.payments.workflows.RecordedCallsState.Flight;
import dev.weir.payments.workflows.RecordedCallsState.Node;
import dev.weir.payments.workflows.RecordedCallsState.Recorded;
import dev.weir.payments.workflows.RecordedCallsState.Result;
import dev.weir.payments.workflows.RecordedCallsState.Tables;
import dev.weir.payments.workflows.RecordedCallsState.Work;
import dev.weir.store.tck.internal.Explorer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Calls of one payment that are recorded before they are sent, as a model.
 *
 * <p>Nodes look at the payment, begin a call, send it and record its answer, as {@link
 * PaymentExecution} and {@link PaymentCalls} do. The payment API makes the payment once for each
 * key, as long as it remembers the key. Between any two steps a node may die, a call may hang, a
 * reply of the database or an answer may be lost, and the database may be replaced by its backup.
 * The statements are those of {@code PaymentEnds} and {@code PaymentHistory} of the store; {@code
 * RecordedCallsTest}, {@code KilledCallerIT} and {@code RestoredPaymentsTest} show that the
 * database does this.
 *
 * <p>All times are ages, or what is left of them, so the model has no clock.
 */
final class RecordedCallsModel implements Explorer.Model<RecordedCallsState> {
  private static final int HESITATION = 1;
  private static final int MAX_CALL = 1;

  /** How long a call may be on its way: its time-out, a pause of the downstream, the lateness. */
  private static final int TRAVEL = MAX_CALL + 2;

  private static final int GIVE_UP_AFTER = 2;

  /** How long the payment API remembers a key: longer than any call for it can arrive. */
  private static final int KEY_MEMORY = GIVE_UP_AFTER + HESITATION + TRAVEL;

  static final int LONG_AGO = KEY_MEMORY + 1;

  /** A mistake that the model must detect. */
  enum Fault {
    NONE,
    /** A call is recorded with its answer. */
    RECORDED_AFTER_SENT,
    /** Whether a payment is given up is decided only after a call. */
    GIVEN_UP_AFTER_CALL,
    /** A call is begun in a database that lacks the last call of the node. */
    RESTORE_UNNOTICED,
    /** A payment that fails does not look for calls with an unknown result. */
    FAILS_WITHOUT_DOUBT,
    /** A payment fails in a database that lacks the last call of the node. */
    FAILS_BEFORE_RESTORE_IS_NOTICED
  }

  /**
   * What happens at most.
   *
   * @param calls the number of calls in all
   * @param restores how often a backup is made, and restored
   */
  record Bounds(int nodes, int calls, int restores) {}

  private static final Work IDLE = new Work.Idle();

  private final Bounds bounds;
  private final Fault fault;

  RecordedCallsModel(Bounds bounds, Fault fault) {
    this.bounds = bounds;
    this.fault = fault;
  }

  @Override
  public RecordedCallsState initial() {
    return new RecordedCallsState(
        new Tables(End.OPEN, 0, List.of(), false),
        Optional.empty(),
        Collections.nCopies(bounds.nodes(), new Node(IDLE, 0)),
        List.of(),
        0,
        -1,
        0,
        bounds.restores(),
        bounds.restores());
  }

  @Override
  public Optional<String> violation(RecordedCallsState state) {
    if (state.made() > 1) {
      return Optional.of("the payment is made twice");
    }
    boolean isPaidLate =
        state.tables().calls().stream().anyMatch(call -> call.result() == Result.PAID);
    if (state.tables().end() == End.FAILED && state.made() > 0 && !isPaidLate) {
      return Optional.of("the payment is made, and has failed without doubt");
    }
    return state.tables().end() == End.PAID && state.made() == 0
        ? Optional.of("the payment is paid, and not made")
        : Optional.empty();
  }

  @Override
  public List<Explorer.Step<RecordedCallsState>> steps(RecordedCallsState state) {
    List<Explorer.Step<RecordedCallsState>> steps = new ArrayList<>();
    for (int node = 0; node < bounds.nodes(); node++) {
      addSteps(state, node, "node %c: ".formatted('A' + node), steps);
      steps.add(step("node %c: is killed".formatted('A' + node), killed(state, node)));
    }
    for (Flight flight : state.flights()) {
      addSteps(state, flight, steps);
    }
    if (state.nodes().stream()
        .noneMatch(node -> node.work() instanceof Work.Waiting waiting && waiting.left() == 0)) {
      steps.add(step("time passes", later(state)));
    }
    if (state.backups() > 0) {
      steps.add(
          step(
              "back up",
              state.backup(Optional.of(state.tables()), state.backups() - 1, state.restores())));
    }
    if (state.restores() > 0 && state.backup().isPresent()) {
      steps.add(step("restore the backup", restored(state, state.backup().get())));
    }
    return steps;
  }

  private void addSteps(
      RecordedCallsState state,
      int index,
      String name,
      List<Explorer.Step<RecordedCallsState>> steps) {
    Tables tables = state.tables();
    Node node = state.nodes().get(index);
    switch (node.work()) {
      case Work.Idle idle -> {
        if (tables.end() == End.OPEN && !tables.isHeld() && !tables.isInProgress()) {
          steps.add(step(name + "look at the payment", looked(state, index)));
        }
      }
      case Work.Looked looked -> {
        steps.add(step(name + "begin a call", begun(state, index, looked, true)));
        steps.add(
            step(name + "begin a call, the reply is lost", begun(state, index, looked, false)));
      }
      case Work.Begun begun -> {
        if (begun.left() > 0) {
          List<Flight> flights = new ArrayList<>(state.flights());
          flights.add(new Flight(begun.call(), index, TRAVEL, Result.UNKNOWN, true));
          Work waiting = new Work.Waiting(begun.call(), MAX_CALL);
          steps.add(
              step(
                  name + "send call " + begun.call(),
                  state.flights(List.copyOf(flights)).node(index, node.doing(waiting))));
        } else {
          steps.add(step(name + "withdraw call " + begun.call(), withdrawn(state, index, begun)));
        }
      }
      case Work.Waiting waiting -> {
        if (waiting.left() == 0) {
          Tables next = recorded(tables, waiting.call(), Result.UNKNOWN);
          steps.add(
              step(
                  name + "give call " + waiting.call() + " up",
                  state.tables(next).node(index, node.doing(IDLE))));
        }
      }
      case Work.Answered answered ->
          steps.add(
              step(name + "record call " + answered.call(), recorded(state, index, answered)));
    }
  }

  /** As {@link PaymentExecution#pay}. */
  private RecordedCallsState looked(RecordedCallsState state, int index) {
    Tables tables = state.tables();
    Node node = state.nodes().get(index);
    if (tables.firstAge() >= GIVE_UP_AFTER && fault != Fault.GIVEN_UP_AFTER_CALL) {
      return isLost(tables, node)
          ? state.tables(tables.held()).node(index, new Node(IDLE, 0))
          : state.tables(tables.with(failed(tables, 0), tables.attempts(), tables.calls()));
    }
    return state.node(index, node.doing(new Work.Looked(tables.attempts())));
  }

  /** Whether a node that is about to fail a payment notices that the database was restored. */
  private boolean isLost(Tables tables, Node node) {
    return !tables.has(node.last()) && fault != Fault.FAILS_BEFORE_RESTORE_IS_NOTICED;
  }

  private End failed(Tables tables, int exceptCall) {
    return tables.hasUnknown(exceptCall) && fault != Fault.FAILS_WITHOUT_DOUBT
        ? End.MAY_BE_MADE
        : End.FAILED;
  }

  /** As {@code BEGIN_CALL}: the record is the permission. */
  private RecordedCallsState begun(
      RecordedCallsState state, int index, Work.Looked looked, boolean isAnswered) {
    Tables tables = state.tables();
    Node node = state.nodes().get(index);
    if (!tables.has(node.last()) && fault != Fault.RESTORE_UNNOTICED) {
      return state.tables(tables.held()).node(index, new Node(IDLE, 0));
    }
    boolean isTooLate = tables.firstAge() >= GIVE_UP_AFTER && fault != Fault.GIVEN_UP_AFTER_CALL;
    if (tables.end() != End.OPEN
        || tables.isHeld()
        || tables.attempts() != looked.attempts()
        || isTooLate
        || state.lastCall() == bounds.calls()) {
      return state.node(index, node.doing(IDLE));
    }
    int call = state.lastCall() + 1;
    List<Recorded> calls = new ArrayList<>(tables.calls());
    calls.add(new Recorded(call, 0, HESITATION + MAX_CALL, Result.UNKNOWN));
    RecordedCallsState next = state.begun(call);
    if (fault != Fault.RECORDED_AFTER_SENT) {
      next = next.tables(tables.with(End.OPEN, tables.attempts() + 1, calls));
    }
    return next.node(index, node.doing(isAnswered ? new Work.Begun(call, HESITATION) : IDLE));
  }

  private static RecordedCallsState withdrawn(
      RecordedCallsState state, int index, Work.Begun begun) {
    Tables tables = state.tables();
    List<Recorded> calls = new ArrayList<>(tables.calls());
    boolean isGone = calls.removeIf(call -> call.call() == begun.call() && call.inProgress() > 0);
    int attempts = tables.attempts() - (isGone ? 1 : 0);
    return state
        .tables(tables.with(tables.end(), attempts, calls))
        .node(index, state.nodes().get(index).doing(IDLE));
  }

  private Tables recorded(Tables tables, int call, Result result) {
    return switch (result) {
      case PAID -> tables.result(call, result, End.PAID);
      case REJECTED -> tables.result(call, result, failed(tables, call));
      case UNKNOWN -> {
        Tables next = tables.result(call, result, End.OPEN);
        yield next.firstAge() >= GIVE_UP_AFTER && next.end() == End.OPEN
            ? next.with(failed(next, 0), next.attempts(), next.calls())
            : next;
      }
    };
  }

  /** As {@code ENDED}: the call replaces the last one if the database still has that. */
  private RecordedCallsState recorded(RecordedCallsState state, int index, Work.Answered answered) {
    Node node = state.nodes().get(index);
    boolean ends = state.tables().end() == End.OPEN && state.tables().has(node.last());
    Tables before = isLost(state.tables(), node) ? state.tables().held() : state.tables();
    return state
        .tables(recorded(before, answered.call(), answered.result()))
        .node(index, new Node(IDLE, ends ? answered.call() : node.last()));
  }

  private void addSteps(
      RecordedCallsState state, Flight flight, List<Explorer.Step<RecordedCallsState>> steps) {
    String name = "call %d ".formatted(flight.call());
    if (flight.result() == Result.UNKNOWN) {
      boolean isKnown = state.key() >= 0;
      Flight paid = flight(flight, Result.PAID);
      steps.add(
          step(
              name + (isKnown ? "arrives, its key is known" : "arrives and makes the payment"),
              isKnown ? state.flight(paid) : state.flight(paid).key(state.made() + 1, 0)));
      if (!isKnown) {
        steps.add(
            step(name + "arrives and is rejected", state.flight(flight(flight, Result.REJECTED))));
      }
      return;
    }
    List<Flight> others =
        state.flights().stream().filter(other -> other.call() != flight.call()).toList();
    RecordedCallsState landed = state.flights(others);
    steps.add(step(name + "has its answer lost", landed));
    if (flight.hasCaller()) {
      Node node = state.nodes().get(flight.node());
      boolean isAwaited =
          node.work() instanceof Work.Waiting waiting && waiting.call() == flight.call();
      steps.add(
          step(
              name + (isAwaited ? "is answered" : "is answered late"),
              isAwaited
                  ? landed.node(
                      flight.node(), node.doing(new Work.Answered(flight.call(), flight.result())))
                  : landed.tables(late(state.tables(), flight))));
    }
  }

  /** As {@link PaymentCalls}: a late refusal does not end the payment, the next call decides. */
  private static Tables late(Tables tables, Flight flight) {
    return tables.result(
        flight.call(), flight.result(), flight.result() == Result.PAID ? End.PAID : End.OPEN);
  }

  private static Flight flight(Flight flight, Result result) {
    return new Flight(flight.call(), flight.node(), flight.travel(), result, flight.hasCaller());
  }

  /** Before a node is started in a database that was restored, the operator holds all payments. */
  private static RecordedCallsState killed(RecordedCallsState state, int index) {
    UnaryOperator<Flight> orphaned =
        flight ->
            flight.node() == index
                ? new Flight(flight.call(), index, flight.travel(), flight.result(), false)
                : flight;
    Tables tables = state.tables();
    return state
        .tables(tables.has(state.nodes().get(index).last()) ? tables : tables.held())
        .flights(state.flights().stream().map(orphaned).toList())
        .node(index, new Node(IDLE, 0));
  }

  /**
   * Nodes that remember a lost call notice that it is lost. Wherever one does not, the operator has
   * to hold all payments.
   */
  private static RecordedCallsState restored(RecordedCallsState state, Tables backup) {
    boolean isNoticed = state.nodes().stream().noneMatch(node -> backup.has(node.last()));
    return state
        .tables(isNoticed ? backup : backup.held())
        .backup(state.backup(), state.backups(), state.restores() - 1);
  }

  private static RecordedCallsState later(RecordedCallsState state) {
    RecordedCallsState next = state.tables(state.tables().later());
    for (int i = 0; i < state.nodes().size(); i++) {
      Node node = state.nodes().get(i);
      Work work =
          switch (node.work()) {
            case Work.Begun begun -> new Work.Begun(begun.call(), 0);
            case Work.Waiting waiting -> new Work.Waiting(waiting.call(), waiting.left() - 1);
            case Work.Idle idle -> idle;
            case Work.Looked looked -> looked;
            case Work.Answered answered -> answered;
          };
      next = next.node(i, node.doing(work));
    }
    List<Flight> flights =
        state.flights().stream()
            .filter(flight -> flight.travel() > 0)
            .map(
                flight ->
                    new Flight(
                        flight.call(),
                        flight.node(),
                        flight.travel() - 1,
                        flight.result(),
                        flight.hasCaller()))
            .toList();
    int key = state.key() < 0 || state.key() >= KEY_MEMORY ? -1 : state.key() + 1;
    return next.flights(flights)
        .key(state.made(), key)
        .backup(state.backup().map(Tables::later), state.backups(), state.restores());
  }

  private static Explorer.Step<RecordedCallsState> step(String action, RecordedCallsState next) {
    return new Explorer.Step<>(action, next);
  }
}
