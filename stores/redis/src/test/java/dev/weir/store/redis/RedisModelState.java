package dev.weir.store.redis;

import dev.weir.limits.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of all parts of a {@link RedisModel}.
 *
 * @param saved what Redis has saved
 * @param history what PostgreSQL knows of Redis
 * @param inFallback the usage that PostgreSQL has counted
 * @param granted when Redis made its grants of the present window, in whichever history
 * @param inFallbackGranted the number of grants of the present window by PostgreSQL
 * @param forgiven the grants of Redis, by number, that were lost undetectably
 */
record RedisModelState(
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
    return time * RedisModel.BEAT;
  }

  RedisModelState redis(ModelRedis next) {
    return new RedisModelState(
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

  RedisModelState history(History next) {
    return new RedisModelState(
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

  RedisModelState node(int index, Node next) {
    List<Node> all = new ArrayList<>(nodes);
    all.set(index, next);
    return new RedisModelState(
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

  RedisModelState grantedByRedis() {
    return new RedisModelState(
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

  RedisModelState grantedByFallback(Usage next) {
    return new RedisModelState(
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

  RedisModelState lost(boolean nextIsUp, ModelRedis next, Left nextLeft) {
    return new RedisModelState(
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
   * What is lost without a trace if the saved data comes back: grants that were made when the last
   * marker was written that PostgreSQL knows of, or later.
   */
  RedisModelState forgiving() {
    double recorded =
        history.latest().map(Marker::beatenAtMicros).orElse((double) RedisModel.NEVER);
    List<Integer> lost = new ArrayList<>(forgiven);
    for (int i = 0; i < granted.size(); i++) {
      if (!saved.grants().contains(i)
          && !lost.contains(i)
          && granted.get(i) * RedisModel.BEAT >= recorded) {
        lost.add(i);
      }
    }
    lost.sort(null);
    return new RedisModelState(
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
}
