package dev.weir.store.redis;

import dev.weir.internal.Micros;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import java.util.List;
import java.util.Optional;

/**
 * A Redis server in {@link RedisModel}: the scripts {@code marker.lua}, {@code mark.lua}, {@code
 * look.lua}, and what {@code limits.lua} does with one key. Immutable.
 *
 * @param server the id that it has taken when it started
 */
record ModelRedis(int server, Data data) {
  private static final double NEVER = Micros.EARLIEST;
  private static final Marker NO_MARKER = new Marker(NEVER, NEVER, 0, NEVER);

  static final ModelRedis NEW = new ModelRedis(1, Data.EMPTY);

  /**
   * What Redis holds.
   *
   * @param grants the numbers of the grants of this window that it knows of
   */
  record Data(Optional<Marker> marker, Usage usage, List<Integer> grants) {
    static final Data EMPTY = new Data(Optional.empty(), Usage.NONE, List.of());

    Data marked(Marker next) {
      return new Data(Optional.of(next), usage, grants);
    }

    Data ungranted() {
      return new Data(marker, usage, List.of());
    }
  }

  /** The answer of a script, and the server after it. */
  record Reply(ModelRedis next, Answer answer) {}

  /** The answer of a script. */
  sealed interface Answer {
    /** Nothing was done: the node has to find out whether something was lost. */
    record Unprepared() implements Answer {}

    record Decided(Marker marker, boolean isGranted) implements Answer {}
  }

  ModelRedis with(Data next) {
    return new ModelRedis(server, next);
  }

  /** Returns this server after a start, or a replica of it after its promotion. */
  ModelRedis restarted() {
    return new ModelRedis(server + 1, data);
  }

  private Reply unprepared() {
    return new Reply(this, new Answer.Unprepared());
  }

  private Reply decided(boolean isGranted) {
    return new Reply(this, new Answer.Decided(data.marker().orElseThrow(), isGranted));
  }

  /** {@code write_marker}. */
  private ModelRedis written(Marker marker, long now) {
    double beatenAt = Math.max((double) now, marker.beatenAtMicros());
    return with(
        data.marked(
            new Marker(marker.sinceMicros(), beatenAt, marker.server(), marker.joinedAtMicros())));
  }

  /** {@code take_over}. */
  private Marker takenOver(Marker marker) {
    return marker.server() == server
        ? marker
        : new Marker(
            marker.sinceMicros(), marker.beatenAtMicros(), server, marker.beatenAtMicros());
  }

  /** {@code read_marker}; empty if there is no marker and the node has never seen one. */
  private Optional<ModelRedis> read(Optional<Marker> seen, long now, RedisModel.Fault fault) {
    if (seen.isEmpty()) {
      return data.marker().map(marker -> this);
    }
    Marker known = seen.get();
    Marker marker = data.marker().orElse(NO_MARKER);
    double keptUntil =
        marker.server() == known.server() || fault == RedisModel.Fault.MARKER_BY_TIME_ALONE
            ? marker.beatenAtMicros()
            : marker.joinedAtMicros();
    boolean isLost =
        data.marker().isEmpty()
            || marker.sinceMicros() < known.sinceMicros()
            || (marker.sinceMicros() == known.sinceMicros() && keptUntil < known.beatenAtMicros());
    return Optional.of(isLost ? lost(marker, known.sinceMicros(), now) : this);
  }

  private ModelRedis lost(Marker marker, double seenSince, long now) {
    double since = Math.max((double) now, Math.max(marker.sinceMicros() + 1, seenSince + 1));
    Marker next =
        new Marker(since, marker.beatenAtMicros(), marker.server(), marker.joinedAtMicros());
    return written(takenOver(next), now);
  }

  private boolean isSameServer(RedisModel.Fault fault) {
    return fault == RedisModel.Fault.MARKER_BY_TIME_ALONE
        || data.marker().orElseThrow().server() == server;
  }

  /** {@code look.lua}. */
  Reply look(Optional<Marker> seen, long now, RedisModel.Fault fault) {
    Optional<ModelRedis> read = read(seen, now, fault);
    if (read.isEmpty()) {
      return unprepared();
    }
    return read.get().isSameServer(fault) ? read.get().decided(false) : read.get().unprepared();
  }

  /** {@code mark.lua}. */
  Reply mark(Optional<Marker> seen, boolean isFirstUse, long now, RedisModel.Fault fault) {
    ModelRedis read = read(seen, now, fault).orElse(this);
    if (read.data().marker().isPresent()) {
      Marker marker = read.data().marker().get();
      ModelRedis next = marker.server() == server ? read : read.written(takenOver(marker), now);
      return next.decided(false);
    }
    Marker first = new Marker(isFirstUse ? NEVER : now, NEVER, 0, NEVER);
    return written(takenOver(first), now).decided(false);
  }

  /**
   * {@code limits.lua} for one unit of one limit, which is older than any loss.
   *
   * @param grant the number of this grant, if it is one
   */
  Reply decide(Optional<Marker> seen, long now, int grant, RedisModel.Fault fault) {
    Optional<ModelRedis> read = read(seen, now, fault);
    return read.isEmpty() ? unprepared() : read.get().counted(now, grant, fault);
  }

  private Reply counted(long now, int grant, RedisModel.Fault fault) {
    Marker marker = data.marker().orElseThrow();
    Limit.Step step = RedisModel.LIMIT.decide(assumed(marker, now, fault), 1, now);
    if (!step.decision().isAllowed()) {
      return decided(false);
    }
    double elapsed = now - marker.beatenAtMicros();
    boolean isSoon = elapsed >= 0 && elapsed < RedisModel.BEAT;
    if (!isSoon && !isSameServer(fault)) {
      return unprepared();
    }
    ModelRedis beaten = elapsed >= RedisModel.BEAT ? written(marker, now) : this;
    List<Integer> grants = RedisModelState.with(data.grants(), grant);
    return beaten.with(new Data(beaten.data().marker(), step.next(), grants)).decided(true);
  }

  /** {@code lost}: what was written before the loss counts as all that could be taken. */
  private Usage assumed(Marker marker, long now, RedisModel.Fault fault) {
    long since = (long) marker.sinceMicros();
    if (fault == RedisModel.Fault.OLD_COUNTS_BELIEVED
        || marker.sinceMicros() == NEVER
        || data.usage().atMicros() >= since) {
      return data.usage();
    }
    Limit limit = RedisModel.LIMIT;
    Usage all = limit.take(limit.settle(Usage.NONE, since), limit.maxCost(), since);
    return since + limit.idleMicros(all, since) <= now ? data.usage() : all;
  }
}
