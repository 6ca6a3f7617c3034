package dev.weir.limits.memory;

import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitRequest;
import dev.weir.limits.Outcome;
import dev.weir.limits.Policy;
import dev.weir.limits.Usage;
import dev.weir.limits.internal.AllOrNothing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The parts of a request, with the segments of their keys locked until it is closed.
 *
 * <p>Segments are locked in their order, each once, so that two requests never deadlock. The
 * entries of all keys are held together, so that no caller sees one key before and another after
 * the change.
 */
final class LockedRequests implements AutoCloseable {
  /** A part of a request and where its count is kept. */
  private record Located(
      LimitRequest request, UsageTable table, Segment segment, long first, long second) {
    /** Returns the policy by which to decide on the usage, see {@link Policy#on}. */
    Policy policy() {
      return segment.on(entry(), usage(), request.policy());
    }

    Limit limit() {
      return policy().limit();
    }

    int entry() {
      return segment.find(first, second);
    }

    boolean isAbsent() {
      return entry() == Segment.ABSENT;
    }

    Usage usage() {
      return segment.usage(entry());
    }

    void hold() {
      int entry = entry();
      if (entry != Segment.ABSENT) {
        EntryLayout.hold(segment.entries(), entry);
      }
    }

    void release() {
      int entry = entry();
      if (entry != Segment.ABSENT) {
        EntryLayout.release(segment.entries(), entry);
      }
    }

    void writeIfPresent(Usage usage) {
      int entry = entry();
      if (entry != Segment.ABSENT) {
        segment.write(entry, policy(), usage);
      }
    }

    void add(Usage usage, long nowMicros) {
      segment.add(first, second, request.policy(), usage, nowMicros);
    }
  }

  private final List<Located> parts;
  private final List<Segment> locked;

  private LockedRequests(List<Located> parts, List<Segment> locked) {
    this.parts = parts;
    this.locked = locked;
  }

  static LockedRequests lock(
      List<LimitRequest> requests, KeyHash hash, Function<Limit, UsageTable> tables) {
    List<Located> parts = new ArrayList<>(requests.size());
    List<Segment> segments = new ArrayList<>(requests.size());
    for (LimitRequest request : requests) {
      Limit limit = request.policy().limit();
      UsageTable table = tables.apply(limit);
      KeyHash.Prefix prefix = hash.prefix(limit.kind(), request.policy().name());
      long first = hash.first(prefix, request.key());
      Segment segment = table.segmentOf(first);
      parts.add(new Located(request, table, segment, first, hash.second(prefix, request.key())));
      insertInOrder(segments, segment);
    }
    segments.forEach(Segment::lock);
    return new LockedRequests(parts, segments);
  }

  private static void insertInOrder(List<Segment> segments, Segment segment) {
    int at = 0;
    while (at < segments.size() && segments.get(at).order() < segment.order()) {
      at++;
    }
    if (at == segments.size() || segments.get(at) != segment) {
      segments.add(at, segment);
    }
  }

  /** Decisions, and the time by which they were made. */
  record Decided(List<Decision> decisions, long nowMicros) {}

  /** A step, and the time of it. */
  private record Timed(AllOrNothing.Step step, long nowMicros) {}

  Decided decide(BusyClock.Reading read) {
    if (parts.isEmpty()) {
      return new Decided(List.of(), read.micros());
    }
    boolean hasCapacity = parts.getFirst().table().hasCapacity(absent());
    Timed timed = decide(read, hasCapacity);
    if (timed.step().isGranted() && !hasCapacity) {
      parts.getFirst().table().requireCapacity(locked, timed.nowMicros(), absent());
      timed = decide(read, true);
    }
    if (timed.step().isGranted()) {
      add(timed.step().next(), timed.nowMicros());
    }
    return new Decided(timed.step().decisions(), timed.nowMicros());
  }

  /** Returns the time by which to decide on all parts, whose entries the caller holds. */
  private long caughtUp(BusyClock.Reading read) {
    long latest = read.micros();
    for (Located part : parts) {
      latest = Math.max(latest, part.usage().atMicros());
    }
    return read.caughtUpWith(latest);
  }

  /** Returns the second lanes of the hashes of the keys that are absent. */
  private long[] absent() {
    return parts.stream().filter(Located::isAbsent).mapToLong(Located::second).toArray();
  }

  /** Decides and, if {@code mayWrite}, writes the granted usages of the keys that are present. */
  private Timed decide(BusyClock.Reading read, boolean mayWrite) {
    parts.forEach(Located::hold);
    try {
      long nowMicros = caughtUp(read);
      List<AllOrNothing.Part> candidates = new ArrayList<>(parts.size());
      for (Located part : parts) {
        candidates.add(new AllOrNothing.Part(part.limit(), part.usage(), part.request().cost()));
      }
      AllOrNothing.Step step = AllOrNothing.decide(candidates, nowMicros);
      for (int i = 0; i < parts.size(); i++) {
        AllOrNothing.Part part = candidates.get(i);
        boolean isChanged = !part.limit().isCurrent(part.usage(), nowMicros);
        if (step.isGranted() ? mayWrite : isChanged) {
          parts.get(i).writeIfPresent(step.next().get(i));
        }
      }
      return new Timed(step, nowMicros);
    } finally {
      parts.forEach(Located::release);
    }
  }

  /** Adds the keys that are absent. No entry may be held meanwhile. */
  private void add(List<Usage> usages, long nowMicros) {
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).isAbsent()) {
        parts.get(i).add(usages.get(i), nowMicros);
      }
    }
  }

  List<Decision> peek(long nowMicros) {
    parts.forEach(Located::hold);
    try {
      List<Decision> decisions = new ArrayList<>(parts.size());
      for (Located part : parts) {
        decisions.add(part.limit().peek(part.usage(), part.request().cost(), nowMicros));
      }
      return decisions;
    } finally {
      parts.forEach(Located::release);
    }
  }

  void refund(long takenAtMicros, BusyClock.Reading read) {
    parts.forEach(Located::hold);
    try {
      long nowMicros = caughtUp(read);
      for (Located part : parts) {
        LimitRequest taken = part.request();
        part.writeIfPresent(
            taken
                .policy()
                .refund(part.policy(), part.usage(), taken.cost(), takenAtMicros, nowMicros));
      }
    } finally {
      parts.forEach(Located::release);
    }
  }

  void settle(int index, BusyClock.Reading read) {
    Located part = parts.get(index);
    part.hold();
    try {
      if (!part.isAbsent()) {
        part.segment().settle(part.entry(), part.request().policy(), read);
      }
    } finally {
      part.release();
    }
  }

  Usage usage(int index) {
    Located part = parts.get(index);
    part.hold();
    try {
      return part.usage();
    } finally {
      part.release();
    }
  }

  void forget(int index) {
    Located part = parts.get(index);
    int entry = part.entry();
    if (entry != Segment.ABSENT) {
      part.segment().remove(entry);
    }
  }

  static AcquireResult result(List<Outcome> outcomes, long nowMicros) {
    return new AcquireResult(outcomes, Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  @Override
  public void close() {
    locked.forEach(Segment::unlock);
  }
}
