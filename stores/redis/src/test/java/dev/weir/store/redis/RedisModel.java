package dev.weir.store.redis;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.store.tck.internal.Explorer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A Redis that loses data, the fallback to PostgreSQL and the return, as a model.
 *
 * <p>Nodes decide about one key of one limit. Redis may be killed and come back with all its data,
 * with none, or with what it had when it was saved, which is also what a replica has that lagged;
 * it may be flushed, and a node may be killed. Each node reads the marker once per second, here
 * once in each unit of time.
 *
 * <p>Counting is the real code, {@link FixedWindow}, and so is the order of markers, {@link
 * Marker#isAfter}. The scripts are restated in {@link ModelRedis}; what nodes do with their answers
 * is that of {@link Markers} ({@link #prepared}, {@link #looked}), {@code StoreHistory}, and {@code
 * Failover} with {@code FallbackSwitch} ({@link #decided}). {@code RedisComeback} and {@code
 * ComebackKit} show that real servers do this, {@code FailoverTest} and {@code SharedFallbackTest}
 * that nodes do.
 */
final class RedisModel implements Explorer.Model<RedisModel.State> {
  /** A unit of time: that in which the marker is written at most once, and read by each node. */
  static final long BEAT = Micros.PER_SECOND;

  private static final int WINDOW = 2;
  static final FixedWindow LIMIT = FixedWindow.of(2, Duration.ofSeconds(WINDOW)).alignedToEpoch();

  /** How far ahead a use of the fallback is logged, and when all nodes have noticed a recovery. */
  private static final long AHEAD = BEAT;

  private static final long NEVER = Micros.EARLIEST;

  /** A mistake that the model must detect. */
  enum Fault {
    NONE,
    /** Markers are compared by their times alone, whichever server wrote them. */
    MARKER_BY_TIME_ALONE,
    /** A Redis without a marker counts as new, even if it was used before. */
    EMPTY_IS_NEW,
    /** A loss is noticed, but keys with counts from before it are believed. */
    OLD_COUNTS_BELIEVED,
    /** The fallback grants as soon as Redis is gone. */
    FALLBACK_AT_ONCE,
    /** Redis grants as soon as it is back. */
    RETURN_AT_ONCE,
    /** A node that starts does not read until when the fallback was used. */
    LOG_NOT_READ
  }

  /**
   * What happens at most.
   *
   * @param time units of time
   * @param losses how often Redis is killed or flushed
   * @param hasFallback whether PostgreSQL counts while Redis is gone; otherwise nothing is granted
   */
  record Bounds(int nodes, int time, int losses, int nodeKills, boolean hasFallback) {}

  /**
   * The state of all parts.
   *
   * @param saved what Redis has saved
   * @param history what PostgreSQL knows of Redis
   * @param inFallback the usage that PostgreSQL has counted
   * @param granted when Redis made its grants of the present window, in whichever history
   * @param inFallbackGranted the number of grants of the present window by PostgreSQL
   * @param forgiven the grants of Redis, by number, that were lost undetectably
   */
  record State(
      int time,
      boolean isUp,
      ModelRedis redis,
      ModelRedis.Data saved,
      History history,
      Usage inFallback,
      List<Node> nodes,
      List<Integer> granted,
      int inFallbackGranted,
      List<Integer> forgiven,
      Left left) {
    long now() {
      return time * BEAT;
    }

    State redis(ModelRedis next) {
      return new State(
          time,
          isUp,
          next,
          saved,
          history,
          inFallback,
          nodes,
          granted,
          inFallbackGranted,
          forgiven,
          left);
    }

    State history(History next) {
      return new State(
          time,
          isUp,
          redis,
          saved,
          next,
          inFallback,
          nodes,
          granted,
          inFallbackGranted,
          forgiven,
          left);
    }

    State node(int index, Node next) {
      List<Node> all = new ArrayList<>(nodes);
      all.set(index, next);
      return new State(
          time,
          isUp,
          redis,
          saved,
          history,
          inFallback,
          List.copyOf(all),
          granted,
          inFallbackGranted,
          forgiven,
          left);
    }

    State grantedByRedis() {
      return new State(
          time,
          isUp,
          redis,
          saved,
          history,
          inFallback,
          nodes,
          with(granted, time),
          inFallbackGranted,
          forgiven,
          left);
    }

    State grantedByFallback(Usage next) {
      return new State(
          time,
          isUp,
          redis,
          saved,
          history,
          next,
          nodes,
          granted,
          inFallbackGranted + 1,
          forgiven,
          left);
    }

    State lost(boolean nextIsUp, ModelRedis next, Left nextLeft) {
      return new State(
          time,
          nextIsUp,
          next,
          saved,
          history,
          inFallback,
          nodes,
          granted,
          inFallbackGranted,
          forgiven,
          nextLeft);
    }

    /**
     * What is lost without a trace if the saved data comes back: grants that were made when the
     * last marker was written that PostgreSQL knows of, or later.
     */
    State forgiving() {
      double recorded = history.latest().map(Marker::beatenAtMicros).orElse((double) NEVER);
      List<Integer> lost = new ArrayList<>(forgiven);
      for (int i = 0; i < granted.size(); i++) {
        if (!saved.grants().contains(i) && !lost.contains(i) && granted.get(i) * BEAT >= recorded) {
          lost.add(i);
        }
      }
      lost.sort(null);
      return new State(
          time,
          isUp,
          redis,
          saved,
          history,
          inFallback,
          nodes,
          granted,
          inFallbackGranted,
          List.copyOf(lost),
          left);
    }

    int counted() {
      return granted.size() + inFallbackGranted - forgiven.size();
    }
  }

  static List<Integer> with(List<Integer> values, int value) {
    List<Integer> next = new ArrayList<>(values);
    next.add(value);
    return List.copyOf(next);
  }

  /** How often something may still happen. */
  record Left(int losses, int nodeKills, int saves) {}

  /** A row of {@code limit_store}. */
  record History(boolean isUsed, Optional<Marker> latest, long fallbackUsedUntil) {}

  /** A look at the marker: Redis is asked for it, then PostgreSQL is told about it. */
  enum Look {
    DUE,
    SEEN,
    REPORTED
  }

  /**
   * A node.
   *
   * @param seen the latest marker that it has seen
   * @param look how far it is with its look at the marker in this unit of time
   * @param openedAt when its breaker has opened; negative if it is closed
   * @param usedHere when it last used the fallback
   * @param usedByAny until when any node may have, when it last read the log
   * @param isLogOutdated whether Redis has failed since
   */
  record Node(
      Optional<Marker> seen,
      Look look,
      long openedAt,
      long usedHere,
      long usedByAny,
      boolean isLogOutdated) {
    Node saw(Marker marker) {
      return seen.isPresent() && !marker.isAfter(seen.get()) ? this : seen(marker);
    }

    Node seen(Marker marker) {
      return new Node(Optional.of(marker), look, openedAt, usedHere, usedByAny, isLogOutdated);
    }

    Node look(Look next) {
      return new Node(seen, next, openedAt, usedHere, usedByAny, isLogOutdated);
    }

    boolean isOpen() {
      return openedAt >= 0;
    }

    /** As {@code CircuitBreaker}, with one failure. */
    Node failed(long now) {
      long opened = isOpen() ? openedAt : now;
      return new Node(seen, look, opened, usedHere, usedByAny, true);
    }

    Node recovered() {
      return new Node(seen, look, -1, usedHere, usedByAny, isLogOutdated);
    }

    Node usesFallback(long now) {
      return new Node(seen, look, openedAt, now, usedByAny, isLogOutdated);
    }

    Node readLog(long until) {
      return new Node(seen, look, openedAt, usedHere, Math.max(usedByAny, until), false);
    }
  }

  private final Bounds bounds;
  private final Fault fault;

  RedisModel(Bounds bounds, Fault fault) {
    this.bounds = bounds;
    this.fault = fault;
  }

  @Override
  public State initial() {
    Node node = new Node(Optional.empty(), Look.DUE, -1, NEVER, NEVER, false);
    return new State(
        0,
        true,
        ModelRedis.NEW,
        ModelRedis.NEW.data(),
        new History(false, Optional.empty(), NEVER),
        Usage.NONE,
        Collections.nCopies(bounds.nodes(), node),
        List.of(),
        0,
        List.of(),
        new Left(bounds.losses(), bounds.nodeKills(), bounds.losses()));
  }

  /** While nodes disagree about the store, each of the two grants up to the limit. */
  @Override
  public Optional<String> violation(State state) {
    long max = LIMIT.limit() * (bounds.hasFallback() && bounds.nodes() > 1 ? 2 : 1);
    return state.counted() <= max
        ? Optional.empty()
        : Optional.of("%d grants in a window, the max is %d".formatted(state.counted(), max));
  }

  @Override
  public List<Explorer.Step<State>> steps(State state) {
    List<Explorer.Step<State>> steps = new ArrayList<>();
    for (int i = 0; i < bounds.nodes(); i++) {
      Node node = state.nodes().get(i);
      String name = "node %c: ".formatted('A' + i);
      steps.add(step(name + "decide", decided(state, i)));
      switch (node.look()) {
        case DUE -> steps.add(step(name + "look at the marker", looked(state, i)));
        case SEEN -> steps.add(step(name + "report the marker", reported(state, i)));
        case REPORTED -> {
          // Until the next second.
        }
      }
      if (state.left().nodeKills() > 0) {
        steps.add(step(name + "is killed and restarted", restarted(state, i)));
      }
    }
    addLosses(state, steps);
    if (state.time() < bounds.time()
        && state.nodes().stream().allMatch(node -> node.look() == Look.REPORTED)) {
      steps.add(step("a second passes", later(state)));
    }
    return steps;
  }

  private void addLosses(State state, List<Explorer.Step<State>> steps) {
    ModelRedis redis = state.redis();
    Left left = state.left();
    if (left.saves() > 0 && state.isUp()) {
      steps.add(step("Redis saves its data", saved(state)));
    }
    if (!state.isUp()) {
      steps.add(step("Redis is back with its data", state.lost(true, redis.restarted(), left)));
      steps.add(
          step(
              "Redis is back empty",
              state.lost(true, redis.with(ModelRedis.Data.EMPTY).restarted(), left)));
      steps.add(
          step(
              "Redis is back with what it had saved",
              state.forgiving().lost(true, redis.with(state.saved()).restarted(), left)));
    } else if (left.losses() > 0) {
      Left next = new Left(left.losses() - 1, left.nodeKills(), left.saves());
      steps.add(step("Redis is killed", state.lost(false, redis, next)));
      steps.add(
          step("Redis is flushed", state.lost(true, redis.with(ModelRedis.Data.EMPTY), next)));
      steps.add(
          step(
              "a replica takes over with what was saved",
              state.forgiving().lost(true, redis.with(state.saved()).restarted(), next)));
    }
  }

  private static boolean isInWindow(int at, int time) {
    return at / WINDOW == time / WINDOW;
  }

  private static State saved(State state) {
    Left left = state.left();
    return new State(
        state.time(),
        state.isUp(),
        state.redis(),
        state.redis().data(),
        state.history(),
        state.inFallback(),
        state.nodes(),
        state.granted(),
        state.inFallbackGranted(),
        state.forgiven(),
        new Left(left.losses(), left.nodeKills(), left.saves() - 1));
  }

  /** As {@code Failover.decide}. */
  private State decided(State state, int index) {
    Node node = state.nodes().get(index);
    if (!state.isUp()) {
      return node.isOpen() ? inFallback(state, index) : failed(state, index);
    }
    if (node.isOpen()) {
      // One caller probes Redis, and not with its own request.
      return state.node(index, node.recovered());
    }
    Node current =
        node.isLogOutdated() && bounds.hasFallback() ? node.readLog(untilAllNotice(state)) : node;
    State read = state.node(index, current);
    long used = Math.max(current.usedHere(), current.usedByAny());
    if (bounds.hasFallback() && fault != Fault.RETURN_AT_ONCE && lacks(used, state.now())) {
      return read;
    }
    ModelRedis.Reply reply =
        state.redis().decide(node.seen(), state.now(), state.granted().size(), fault);
    State after = read.redis(reply.next());
    return switch (reply.answer()) {
      case ModelRedis.Answer.Unprepared unprepared -> prepared(after, index);
      case ModelRedis.Answer.Decided decided -> {
        State seen = after.node(index, saw(current, decided.marker()));
        yield decided.isGranted() ? seen.grantedByRedis() : seen;
      }
    };
  }

  private Node saw(Node node, Marker marker) {
    return fault == Fault.MARKER_BY_TIME_ALONE ? node.seen(marker) : node.saw(marker);
  }

  /** Without a fallback, a node that opens its breaker only refuses. */
  private State failed(State state, int index) {
    return bounds.hasFallback()
        ? state.node(index, state.nodes().get(index).failed(state.now()))
        : state;
  }

  /** As {@code StoreSubstitute} with {@code FallbackSwitch}: the use is logged before it. */
  private State inFallback(State state, int index) {
    Node node = state.nodes().get(index);
    if (fault != Fault.FALLBACK_AT_ONCE && lacks(node.openedAt(), state.now())) {
      return state;
    }
    History history = state.history();
    State logged =
        state
            .history(
                new History(
                    history.isUsed(),
                    history.latest(),
                    Math.max(history.fallbackUsedUntil(), state.now() + AHEAD)))
            .node(index, node.usesFallback(state.now()));
    Limit.Step step = LIMIT.decide(state.inFallback(), 1, state.now());
    return step.decision().isAllowed() ? logged.grantedByFallback(step.next()) : logged;
  }

  /** Whether grants of another store, up to a time, may still count. */
  private static boolean lacks(long until, long now) {
    if (until == NEVER) {
      return false;
    }
    Usage all = LIMIT.take(LIMIT.settle(Usage.NONE, until), LIMIT.maxCost(), until);
    return until + LIMIT.idleMicros(all, until) > now;
  }

  private static long untilAllNotice(State state) {
    long logged = state.history().fallbackUsedUntil();
    return logged > state.now() ? Math.max(logged, state.now() + AHEAD) : logged;
  }

  /** As {@link Markers#prepare}, under the lock of the row in PostgreSQL. */
  private State prepared(State state, int index) {
    History history = state.history();
    Node node = state.nodes().get(index);
    Node told = history.latest().map(node::saw).orElse(node);
    boolean isFirstUse = !history.isUsed() || fault == Fault.EMPTY_IS_NEW;
    ModelRedis.Reply marked = state.redis().mark(told.seen(), isFirstUse, state.now(), fault);
    return switch (marked.answer()) {
      case ModelRedis.Answer.Decided decided ->
          state
              .redis(marked.next())
              .history(new History(true, history.latest(), history.fallbackUsedUntil()))
              .node(index, saw(told, decided.marker()));
      case ModelRedis.Answer.Unprepared unprepared ->
          throw new IllegalStateException("marking always succeeds");
    };
  }

  /** As {@link Markers#look}, and {@code Failover.watch}. */
  private State looked(State state, int index) {
    if (!state.isUp()) {
      State failed = failed(state, index);
      return failed.node(index, failed.nodes().get(index).look(Look.REPORTED));
    }
    Node node = state.nodes().get(index).look(Look.SEEN);
    ModelRedis.Reply reply = state.redis().look(node.seen(), state.now(), fault);
    State after = state.redis(reply.next()).node(index, node);
    return switch (reply.answer()) {
      case ModelRedis.Answer.Unprepared unprepared -> prepared(after, index);
      case ModelRedis.Answer.Decided decided -> after.node(index, saw(node, decided.marker()));
    };
  }

  /** As {@code JdbcStoreHistory.saw}. */
  private static State reported(State state, int index) {
    Node node = state.nodes().get(index);
    Marker marker = node.seen().orElseThrow();
    History history = state.history();
    boolean isLater =
        history
            .latest()
            .map(
                latest ->
                    latest.sinceMicros() < marker.sinceMicros()
                        || (latest.sinceMicros() == marker.sinceMicros()
                            && latest.beatenAtMicros() < marker.beatenAtMicros()))
            .orElse(true);
    State told =
        isLater
            ? state.history(
                new History(history.isUsed(), Optional.of(marker), history.fallbackUsedUntil()))
            : state;
    return told.node(index, node.look(Look.REPORTED));
  }

  private State restarted(State state, int index) {
    long usedByAny =
        bounds.hasFallback() && fault != Fault.LOG_NOT_READ ? untilAllNotice(state) : NEVER;
    Look look = state.nodes().get(index).look();
    Left left = state.left();
    return state
        .node(
            index,
            new Node(
                Optional.empty(), look == Look.SEEN ? Look.DUE : look, -1, NEVER, usedByAny, false))
        .lost(
            state.isUp(),
            state.redis(),
            new Left(left.losses(), left.nodeKills() - 1, left.saves()));
  }

  private static State later(State state) {
    int time = state.time() + 1;
    boolean isSameWindow = isInWindow(state.time(), time);
    ModelRedis redis = state.redis();
    return new State(
        time,
        state.isUp(),
        isSameWindow ? redis : redis.with(redis.data().ungranted()),
        isSameWindow ? state.saved() : state.saved().ungranted(),
        state.history(),
        state.inFallback(),
        state.nodes().stream().map(node -> node.look(Look.DUE)).toList(),
        isSameWindow ? state.granted() : List.of(),
        isSameWindow ? state.inFallbackGranted() : 0,
        isSameWindow ? state.forgiven() : List.of(),
        state.left());
  }

  private static Explorer.Step<State> step(String action, State next) {
    return new Explorer.Step<>(action, next);
  }
}
