package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.WaitMode;
import dev.weir.slots.internal.BatchPlan;
import dev.weir.store.tck.internal.Explorer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Slots that are written only if the view they were planned from is still true, as a model.
 *
 * <p>Workers of several nodes assign slots of one configuration, without the lock or under it.
 * Between any two steps a node may die, a reply may be lost, a slot may be cancelled, the limit may
 * change, and the database may be replaced by its backup.
 *
 * <p>Planning is the real code: {@link BatchPlan} and the planner of core, {@link OccupancyCache}
 * and {@link ConfigRow#isInForce}. Statements are restated: {@link OptimisticGuard} in {@link
 * #send}, {@link LockedAssignment} in {@link #underLock}, {@link PostgresqlSlotWriter}, {@link
 * SlotEndings} and {@link JdbcSlotConfigs} in {@link ModelTables}. The kit of slot ledgers, {@code
 * OptimisticAssignmentTest}, {@code LostCommitTest} and {@code RestoredDatabaseTest} show that the
 * database does this.
 */
final class SlotsModel implements Explorer.Model<SlotsModel.State> {
  static final String CONFIG = "c";

  /** All events are requested for the same window, and time does not pass. */
  static final Instant NOW = Instant.EPOCH;

  /** A mistake that the model must detect. */
  enum Fault {
    NONE,
    /** Every write advances the sequence number by one. */
    SEQ_PLUS_ONE_ONLY,
    /** A change of the configuration advances the sequence number by one. */
    CHANGE_BY_ONE,
    /** A cancellation does not advance the sequence number. */
    CANCEL_WITHOUT_SEQ,
    /** A version is recognized by its number alone. */
    VERSION_BY_NUMBER,
    /** A view that was planned with is cached again although nothing was written. */
    VIEW_KEPT_AFTER_FAILURE,
    /** The reply is sent before the write. */
    REPLY_BEFORE_WRITE,
    /**
     * A plan that has read pages is written to a database that was restored since. Its connection
     * would have ended with the server, but a pooler in between may hide that.
     */
    PLAN_OUTLIVES_RESTORE
  }

  /**
   * What happens at most.
   *
   * @param workers the node of each worker
   * @param restores how often a backup is made, and restored
   */
  record Bounds(
      List<String> events, List<Integer> workers, int cancels, int changes, int restores) {}

  /**
   * The state of all parts.
   *
   * @param promised the slots that callers know of and have not cancelled
   * @param lastSeq the last sequence number that was given, in any history of the database: a
   *     random step never gives a number again
   * @param clock advances with each change, and is not restored
   * @param broken what a step has found to be wrong; empty if nothing
   */
  record State(
      ModelTables tables,
      Optional<ModelTables> backup,
      List<Node> nodes,
      List<Work> workers,
      Map<String, ModelTables.Taken> promised,
      long lastSeq,
      long clock,
      Left left,
      String broken) {
    State tables(ModelTables next) {
      long last = Math.max(lastSeq, next.seq());
      return new State(next, backup, nodes, workers, promised, last, clock, left, broken);
    }

    State backup(ModelTables next) {
      Optional<ModelTables> kept = Optional.of(next);
      return new State(tables, kept, nodes, workers, promised, lastSeq, clock, left, broken);
    }

    State node(int index, Node next) {
      List<Node> all = replaced(nodes, index, next);
      return new State(tables, backup, all, workers, promised, lastSeq, clock, left, broken);
    }

    State worker(int index, Work next) {
      return workers(replaced(workers, index, next));
    }

    State workers(List<Work> next) {
      return new State(tables, backup, nodes, next, promised, lastSeq, clock, left, broken);
    }

    State promised(Map<String, ModelTables.Taken> next) {
      return new State(tables, backup, nodes, workers, next, lastSeq, clock, left, broken);
    }

    State clock(long next) {
      return new State(tables, backup, nodes, workers, promised, lastSeq, next, left, broken);
    }

    State left(Left next) {
      return new State(tables, backup, nodes, workers, promised, lastSeq, clock, next, broken);
    }

    State broken(String what) {
      return new State(tables, backup, nodes, workers, promised, lastSeq, clock, left, what);
    }
  }

  /** How often something may still happen. */
  record Left(int cancels, int changes, int backups, int restores) {
    Left minus(int cancelled, int changed, int backedUp, int restored) {
      return new Left(
          cancels - cancelled, changes - changed, backups - backedUp, restores - restored);
    }
  }

  /** What a node remembers: the version that it takes for current, and a view. */
  record Node(ModelTables.Version version, Optional<ModelView> cached) {
    Node caching(Optional<ModelView> view) {
      return new Node(version, view);
    }
  }

  /** What a worker is doing. */
  sealed interface Work {
    record Idle() implements Work {}

    /** A plan without the lock, which is to be written if its view is accurate. */
    record Planned(String event, ModelTables.Taken taken, ModelView view, ModelView.Delta changes)
        implements Work {}

    /**
     * A slot that is committed, and the view to cache.
     *
     * @param isPromise false if the slot was cancelled or lost since
     */
    record Committed(String event, ModelTables.Taken taken, ModelView view, boolean isPromise)
        implements Work {
      Committed onlyIf(boolean isStillPromise) {
        return new Committed(event, taken, view, isPromise && isStillPromise);
      }
    }
  }

  private static final Work IDLE = new Work.Idle();

  private final Bounds bounds;
  private final Fault fault;

  SlotsModel(Bounds bounds, Fault fault) {
    this.bounds = bounds;
    this.fault = fault;
  }

  @Override
  public State initial() {
    ModelTables tables = ModelTables.empty();
    int nodes = 1 + Collections.max(bounds.workers());
    return new State(
        tables,
        Optional.empty(),
        Collections.nCopies(nodes, new Node(tables.version(), Optional.empty())),
        Collections.nCopies(bounds.workers().size(), IDLE),
        Map.of(),
        tables.seq(),
        tables.version().createdAtMicros(),
        new Left(bounds.cancels(), bounds.changes(), bounds.restores(), bounds.restores()),
        "");
  }

  @Override
  public Optional<String> violation(State state) {
    if (!state.broken().isEmpty()) {
      return Optional.of(state.broken());
    }
    for (Map.Entry<String, ModelTables.Taken> promise : state.promised().entrySet()) {
      ModelTables.Taken stored = state.tables().slots().get(promise.getKey());
      if (!promise.getValue().equals(stored)) {
        return Optional.of(
            "%s was promised %s and has %s"
                .formatted(promise.getKey(), promise.getValue(), stored == null ? "none" : stored));
      }
    }
    return state.tables().mismatch();
  }

  @Override
  public List<Explorer.Step<State>> steps(State state) {
    List<Explorer.Step<State>> steps = new ArrayList<>();
    for (int worker = 0; worker < state.workers().size(); worker++) {
      addSteps(state, worker, steps);
    }
    for (int node = 0; node < state.nodes().size(); node++) {
      addNodeSteps(state, node, steps);
    }
    Left left = state.left();
    if (left.cancels() > 0) {
      state
          .tables()
          .slots()
          .forEach(
              (event, taken) -> {
                if (taken.isHeld()) {
                  steps.add(step("cancel " + event, cancelled(state, event, taken)));
                }
              });
    }
    if (left.changes() > 0) {
      steps.add(step("change the limit", changed(state)));
    }
    if (left.backups() > 0) {
      steps.add(step("back up", state.backup(state.tables()).left(left.minus(0, 0, 1, 0))));
    }
    if (left.restores() > 0 && state.backup().isPresent()) {
      steps.add(step("restore the backup", restored(state, state.backup().get())));
    }
    return steps;
  }

  private void addSteps(State state, int worker, List<Explorer.Step<State>> steps) {
    String name = name(bounds.workers().get(worker));
    switch (state.workers().get(worker)) {
      case Work.Idle idle -> {
        // A caller asks until it knows its slot.
        for (String event : unpromised(state)) {
          if (node(state, worker).cached().isPresent()) {
            steps.add(step(name + "plan " + event + " by its view", planned(state, worker, event)));
          }
          steps.add(
              step(name + "assign " + event + " under the lock", underLock(state, worker, event)));
        }
      }
      case Work.Planned planned -> {
        steps.add(
            step(
                name + "write " + planned.event() + " if still true",
                send(state, worker, planned)));
        steps.add(step(name + "fail to write " + planned.event(), failed(state, worker, planned)));
      }
      case Work.Committed committed -> {
        steps.add(
            step(name + "reply about " + committed.event(), replied(state, worker, committed)));
        steps.add(
            step(name + "lose the reply about " + committed.event(), state.worker(worker, IDLE)));
      }
    }
  }

  private void addNodeSteps(State state, int number, List<Explorer.Step<State>> steps) {
    Node node = state.nodes().get(number);
    ModelTables.Version inForce = state.tables().version();
    if (!node.version().equals(inForce)) {
      steps.add(
          step(
              name(number) + "read the configuration",
              state.node(number, new Node(inForce, node.cached()))));
    }
    List<Work> workers = new ArrayList<>(state.workers());
    for (int worker = 0; worker < workers.size(); worker++) {
      if (bounds.workers().get(worker) == number) {
        workers.set(worker, IDLE);
      }
    }
    Node restarted = new Node(inForce, Optional.empty());
    steps.add(
        step(
            name(number) + "restart after a kill", state.workers(workers).node(number, restarted)));
  }

  private List<String> unpromised(State state) {
    return bounds.events().stream().filter(event -> !state.promised().containsKey(event)).toList();
  }

  private static String name(int node) {
    return "node %c: ".formatted('A' + node);
  }

  private Node node(State state, int worker) {
    return state.nodes().get(bounds.workers().get(worker));
  }

  /** Sets the view in the cache of a worker's node. */
  private State caching(State state, int worker, Optional<ModelView> view) {
    return state.node(bounds.workers().get(worker), node(state, worker).caching(view));
  }

  /** As {@link OptimisticAssignment}: takes the view out of the cache and looks up no event. */
  private State planned(State state, int worker, String event) {
    ModelView view = node(state, worker).cached().orElseThrow();
    ModelView.Opened opened = new ModelView.Opened(view, state.tables());
    ModelTables.Taken taken = plan(opened, Map.of(), event);
    Work plan = new Work.Planned(event, taken, opened.read(), ModelView.Delta.of(opened.view()));
    State next = caching(state, worker, Optional.empty()).worker(worker, plan);
    return fault == Fault.REPLY_BEFORE_WRITE ? promised(next, event, taken) : next;
  }

  private static ModelTables.Taken plan(
      ModelView.Opened windows, Map<String, Slot> known, String event) {
    BatchPlan plan =
        BatchPlan.of(
            List.of(new AssignRequest(new SlotRequest(event, CONFIG, NOW), windows.config())),
            known,
            Map.of(CONFIG, windows),
            WaitMode.FOR_LOCKS,
            NOW,
            new Random(0));
    if (!(plan.replies().getFirst() instanceof Assignment.Assigned assigned)) {
      throw new IllegalStateException("without a maximum delay every event gets a slot");
    }
    return ModelTables.Taken.of(assigned.slot());
  }

  /** As {@link OptimisticGuard}; a repeated event violates the primary key. */
  private State send(State state, int worker, Work.Planned plan) {
    ModelTables tables = state.tables();
    return plan.view().seq() != tables.seq() || tables.slots().containsKey(plan.event())
        ? failed(state, worker, plan)
        : written(state, worker, plan);
  }

  private State written(State state, int worker, Work.Planned plan) {
    long seq = nextSeq(state, false);
    ModelTables tables = state.tables().with(plan.event(), plan.taken(), plan.changes(), seq);
    Work committed =
        new Work.Committed(
            plan.event(), plan.taken(), plan.view().after(plan.changes(), seq), true);
    State next = state.tables(tables).worker(worker, committed);
    // By the limit that is in force, whatever the plan was made by.
    long held = tables.held(plan.taken().start());
    int max = tables.version().policy().maxPerWindow();
    return held <= max
        ? next
        : next.broken("a window holds %d events, the max is %d".formatted(held, max));
  }

  /** As {@link LockedAssignment}, with the event looked up; one step, because of the lock. */
  private State underLock(State state, int worker, String event) {
    ModelTables tables = state.tables();
    Node node = node(state, worker);
    ModelView view =
        node.cached()
            .filter(cached -> isCurrent(cached, tables))
            .orElseGet(() -> ModelView.empty(tables.seq(), versionFor(node, tables)));
    ModelTables.Taken before = tables.slots().get(event);
    ModelView.Opened opened = new ModelView.Opened(view, tables);
    ModelTables.Taken taken =
        plan(opened, before == null ? Map.of() : Map.of(event, before.slot(event)), event);
    State next = caching(state, worker, Optional.empty());
    if (before != null && before.isHeld()) {
      return next.worker(worker, new Work.Committed(event, taken, opened.read(), true));
    }
    ModelView.Delta changes = ModelView.Delta.of(opened.view());
    return written(next, worker, new Work.Planned(event, taken, opened.read(), changes));
  }

  private boolean isCurrent(ModelView view, ModelTables tables) {
    return fault == Fault.VERSION_BY_NUMBER
        ? view.seq() == tables.seq() && view.version().number() == tables.version().number()
        : view.cached().isCurrent(tables.row());
  }

  private ModelTables.Version versionFor(Node node, ModelTables tables) {
    boolean isInForce =
        fault == Fault.VERSION_BY_NUMBER
            ? node.version().number() == tables.version().number()
            : tables.row().isInForce(node.version().config());
    return isInForce ? node.version() : tables.version();
  }

  /** Nothing was written. The view is gone, because it was taken out of the cache. */
  private State failed(State state, int worker, Work.Planned plan) {
    State idle = state.worker(worker, IDLE);
    return fault == Fault.VIEW_KEPT_AFTER_FAILURE
        ? caching(idle, worker, Optional.of(plan.view().after(plan.changes(), plan.view().seq())))
        : idle;
  }

  /** As {@link WrittenBatch#cacheViews}; then the caller is told. */
  private State replied(State state, int worker, Work.Committed committed) {
    ModelView kept = ModelView.newer(node(state, worker).cached(), committed.view());
    State next = caching(state.worker(worker, IDLE), worker, Optional.of(kept));
    return committed.isPromise() ? promised(next, committed.event(), committed.taken()) : next;
  }

  private static State promised(State state, String event, ModelTables.Taken taken) {
    ModelTables.Taken before = state.promised().getOrDefault(event, taken);
    return before.equals(taken)
        ? state.promised(with(state.promised(), event, taken))
        : state.broken("%s was promised %s and then %s".formatted(event, before, taken));
  }

  private State cancelled(State state, String event, ModelTables.Taken taken) {
    long seq = fault == Fault.CANCEL_WITHOUT_SEQ ? state.tables().seq() : nextSeq(state, false);
    Map<String, ModelTables.Taken> promised = new TreeMap<>(state.promised());
    promised.remove(event);
    return state
        .tables(state.tables().cancelled(event, taken, seq))
        .left(state.left().minus(1, 0, 0, 0))
        .promised(promised)
        .workers(
            mapped(
                state.workers(), committed -> committed.onlyIf(!committed.event().equals(event))));
  }

  private State changed(State state) {
    long seq = nextSeq(state, fault == Fault.CHANGE_BY_ONE);
    long clock = state.clock() + 1;
    return state
        .tables(state.tables().changed(clock, seq))
        .clock(clock)
        .left(state.left().minus(0, 1, 0, 0));
  }

  /**
   * What was promised since the backup is lost by definition, and so are replies about it. Pages
   * are read and written by the same connection, which ends.
   */
  private State restored(State state, ModelTables backup) {
    Map<String, ModelTables.Taken> promised = new TreeMap<>(state.promised());
    promised.entrySet().retainAll(backup.slots().entrySet());
    List<Work> workers = new ArrayList<>(state.workers());
    if (fault != Fault.PLAN_OUTLIVES_RESTORE) {
      workers.replaceAll(work -> work instanceof Work.Planned ? IDLE : work);
    }
    return state
        .tables(backup)
        .left(state.left().minus(0, 0, 0, 1))
        .promised(promised)
        .workers(
            mapped(
                workers,
                committed ->
                    committed.onlyIf(
                        committed.taken().equals(backup.slots().get(committed.event())))));
  }

  private static List<Work> mapped(List<Work> workers, UnaryOperator<Work.Committed> change) {
    return workers.stream()
        .map(work -> work instanceof Work.Committed committed ? change.apply(committed) : work)
        .toList();
  }

  private long nextSeq(State state, boolean isByOne) {
    return isByOne || fault == Fault.SEQ_PLUS_ONE_ONLY
        ? state.tables().seq() + 1
        : state.lastSeq() + 1;
  }

  private static <T> List<T> replaced(List<T> values, int index, T next) {
    List<T> changed = new ArrayList<>(values);
    changed.set(index, next);
    return List.copyOf(changed);
  }

  static <T> Map<String, T> with(Map<String, T> values, String key, T value) {
    Map<String, T> next = new TreeMap<>(values);
    next.put(key, value);
    return next;
  }

  private static Explorer.Step<State> step(String action, State next) {
    return new Explorer.Step<>(action, next);
  }
}
