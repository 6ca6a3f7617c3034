package dev.weir.store.redis;

import dev.weir.internal.Micros;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import dev.weir.store.redis.RedisModelState.History;
import dev.weir.store.redis.RedisModelState.Left;
import dev.weir.store.redis.RedisModelState.Look;
import dev.weir.store.redis.RedisModelState.Node;
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
 * ComebackKit} show that real servers do this, {@code FallbackTest} and {@code SharedFallbackTest}
 * that nodes do.
 */
final class RedisModel implements Explorer.Model<RedisModelState> {
  /** A unit of time: that in which the marker is written at most once, and read by each node. */
  static final long BEAT = Micros.PER_SECOND;

  private static final int WINDOW = 2;
  static final FixedWindow LIMIT = FixedWindow.of(2, Duration.ofSeconds(WINDOW)).alignedToEpoch();

  /** How far ahead a use of the fallback is logged, and when all nodes have noticed a recovery. */
  private static final long AHEAD = BEAT;

  static final long NEVER = Micros.EARLIEST;

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

  private final Bounds bounds;
  private final Fault fault;

  RedisModel(Bounds bounds, Fault fault) {
    this.bounds = bounds;
    this.fault = fault;
  }

  @Override
  public RedisModelState initial() {
    Node node = new Node(Optional.empty(), Look.DUE, -1, NEVER, NEVER, false);
    return new RedisModelState(
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
  public Optional<String> violation(RedisModelState state) {
    long max = LIMIT.limit() * (bounds.hasFallback() && bounds.nodes() > 1 ? 2 : 1);
    return state.counted() <= max
        ? Optional.empty()
        : Optional.of("%d grants in a window, the max is %d".formatted(state.counted(), max));
  }

  @Override
  public List<Explorer.Step<RedisModelState>> steps(RedisModelState state) {
    List<Explorer.Step<RedisModelState>> steps = new ArrayList<>();
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

  private void addLosses(RedisModelState state, List<Explorer.Step<RedisModelState>> steps) {
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

  private static RedisModelState saved(RedisModelState state) {
    Left left = state.left();
    return new RedisModelState(
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
  private RedisModelState decided(RedisModelState state, int index) {
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
    RedisModelState read = state.node(index, current);
    long used = Math.max(current.usedHere(), current.usedByAny());
    if (bounds.hasFallback() && fault != Fault.RETURN_AT_ONCE && lacks(used, state.now())) {
      return read;
    }
    ModelRedis.Reply reply =
        state.redis().decide(node.seen(), state.now(), state.granted().size(), fault);
    RedisModelState after = read.redis(reply.next());
    return switch (reply.answer()) {
      case ModelRedis.Answer.Unprepared unprepared -> prepared(after, index);
      case ModelRedis.Answer.Decided decided -> {
        RedisModelState seen = after.node(index, saw(current, decided.marker()));
        yield decided.isGranted() ? seen.grantedByRedis() : seen;
      }
    };
  }

  private Node saw(Node node, Marker marker) {
    return fault == Fault.MARKER_BY_TIME_ALONE ? node.seen(marker) : node.saw(marker);
  }

  /** Without a fallback, a node that opens its breaker only refuses. */
  private RedisModelState failed(RedisModelState state, int index) {
    return bounds.hasFallback()
        ? state.node(index, state.nodes().get(index).failed(state.now()))
        : state;
  }

  /** As {@code StoreSubstitute} with {@code FallbackSwitch}: the use is logged before it. */
  private RedisModelState inFallback(RedisModelState state, int index) {
    Node node = state.nodes().get(index);
    if (fault != Fault.FALLBACK_AT_ONCE && lacks(node.openedAt(), state.now())) {
      return state;
    }
    History history = state.history();
    RedisModelState logged =
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

  private static long untilAllNotice(RedisModelState state) {
    long logged = state.history().fallbackUsedUntil();
    return logged > state.now() ? Math.max(logged, state.now() + AHEAD) : logged;
  }

  /** As {@link Markers#prepare}, under the lock of the row in PostgreSQL. */
  private RedisModelState prepared(RedisModelState state, int index) {
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
  private RedisModelState looked(RedisModelState state, int index) {
    if (!state.isUp()) {
      RedisModelState failed = failed(state, index);
      return failed.node(index, failed.nodes().get(index).look(Look.REPORTED));
    }
    Node node = state.nodes().get(index).look(Look.SEEN);
    ModelRedis.Reply reply = state.redis().look(node.seen(), state.now(), fault);
    RedisModelState after = state.redis(reply.next()).node(index, node);
    return switch (reply.answer()) {
      case ModelRedis.Answer.Unprepared unprepared -> prepared(after, index);
      case ModelRedis.Answer.Decided decided -> after.node(index, saw(node, decided.marker()));
    };
  }

  /** As {@code JdbcStoreHistory.saw}. */
  private static RedisModelState reported(RedisModelState state, int index) {
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
    RedisModelState told =
        isLater
            ? state.history(
                new History(history.isUsed(), Optional.of(marker), history.fallbackUsedUntil()))
            : state;
    return told.node(index, node.look(Look.REPORTED));
  }

  private RedisModelState restarted(RedisModelState state, int index) {
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

  private static RedisModelState later(RedisModelState state) {
    int time = state.time() + 1;
    boolean isSameWindow = isInWindow(state.time(), time);
    ModelRedis redis = state.redis();
    return new RedisModelState(
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

  private static Explorer.Step<RedisModelState> step(String action, RedisModelState next) {
    return new Explorer.Step<>(action, next);
  }
}
