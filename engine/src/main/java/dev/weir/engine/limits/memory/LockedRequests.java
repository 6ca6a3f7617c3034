package dev.weir.engine.limits.memory;

import dev.weir.core.Micros;
import dev.weir.core.limits.AllOrNothing;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Outcome;
import dev.weir.core.limits.Usage;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.LimitRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The asks of a demand, with the segments of their keys locked until it is closed.
 *
 * <p>Segments are locked in their order, each once, so that two demands never wait for each other.
 * The places of all keys are held together, so that nobody sees one key before and another after.
 */
final class LockedRequests implements AutoCloseable {
  /** An ask and where its count is kept. */
  private record Located(
      LimitRequest ask, UsageTable table, Segment segment, long first, long second) {
    Limit limit() {
      return ask.policy().limit();
    }

    int place() {
      return segment.find(first, second);
    }

    boolean isAbsent() {
      return place() == Segment.ABSENT;
    }

    Usage usage() {
      return segment.usage(place());
    }

    void hold() {
      int place = place();
      if (place != Segment.ABSENT) {
        EntryLayout.hold(segment.places(), place);
      }
    }

    void letGo() {
      int place = place();
      if (place != Segment.ABSENT) {
        EntryLayout.letGo(segment.places(), place);
      }
    }

    void writeIfThere(Usage usage) {
      int place = place();
      if (place != Segment.ABSENT) {
        segment.write(place, limit(), usage);
      }
    }

    void add(Usage usage, long nowMicros) {
      segment.add(first, second, limit(), usage, nowMicros);
    }
  }

  private final List<Located> asks;
  private final List<Segment> locked;

  private LockedRequests(List<Located> asks, List<Segment> locked) {
    this.asks = asks;
    this.locked = locked;
  }

  static LockedRequests lock(
      List<LimitRequest> asks, KeyHash hash, Function<Limit, UsageTable> tables) {
    List<Located> located = new ArrayList<>(asks.size());
    List<Segment> segments = new ArrayList<>(asks.size());
    for (LimitRequest ask : asks) {
      Limit limit = ask.policy().limit();
      UsageTable table = tables.apply(limit);
      KeyHash.Prefix prefix = hash.prefix(MemoryLimitStore.kind(limit), ask.policy().name());
      long first = hash.first(prefix, ask.key());
      Segment segment = table.segmentOf(first);
      located.add(new Located(ask, table, segment, first, hash.second(prefix, ask.key())));
      insertInOrder(segments, segment);
    }
    segments.forEach(Segment::lock);
    return new LockedRequests(located, segments);
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

  List<Decision> decide(long nowMicros) {
    if (asks.isEmpty()) {
      return List.of();
    }
    boolean hasRoom = asks.getFirst().table().hasRoom(absent());
    AllOrNothing.Step step = decide(nowMicros, hasRoom);
    if (step.isGranted() && !hasRoom) {
      asks.getFirst().table().requireRoom(absent(), locked, nowMicros);
      step = decide(nowMicros, true);
    }
    if (step.isGranted()) {
      add(step.next(), nowMicros);
    }
    return step.decisions();
  }

  private int absent() {
    int absent = 0;
    for (Located ask : asks) {
      absent += ask.isAbsent() ? 1 : 0;
    }
    return absent;
  }

  /** Decides and, if it may, writes what is granted to the keys that are there. */
  private AllOrNothing.Step decide(long nowMicros, boolean mayWrite) {
    asks.forEach(Located::hold);
    try {
      List<AllOrNothing.Part> parts = new ArrayList<>(asks.size());
      for (Located ask : asks) {
        parts.add(new AllOrNothing.Part(ask.limit(), ask.usage(), ask.ask().cost()));
      }
      AllOrNothing.Step step = AllOrNothing.decide(parts, nowMicros);
      if (step.isGranted() && mayWrite) {
        for (int i = 0; i < asks.size(); i++) {
          asks.get(i).writeIfThere(step.next().get(i));
        }
      }
      return step;
    } finally {
      asks.forEach(Located::letGo);
    }
  }

  /** Adds the keys that are not there. For that no place may be held. */
  private void add(List<Usage> usages, long nowMicros) {
    for (int i = 0; i < asks.size(); i++) {
      if (asks.get(i).isAbsent()) {
        asks.get(i).add(usages.get(i), nowMicros);
      }
    }
  }

  List<Decision> peek(long nowMicros) {
    asks.forEach(Located::hold);
    try {
      List<Decision> decisions = new ArrayList<>(asks.size());
      for (Located ask : asks) {
        decisions.add(ask.limit().peek(ask.usage(), ask.ask().cost(), nowMicros));
      }
      return decisions;
    } finally {
      asks.forEach(Located::letGo);
    }
  }

  void refund(long takenAtMicros, long nowMicros) {
    asks.forEach(Located::hold);
    try {
      for (Located ask : asks) {
        ask.writeIfThere(
            ask.limit().refund(ask.usage(), ask.ask().cost(), takenAtMicros, nowMicros));
      }
    } finally {
      asks.forEach(Located::letGo);
    }
  }

  Usage usage(int index) {
    Located ask = asks.get(index);
    ask.hold();
    try {
      return ask.usage();
    } finally {
      ask.letGo();
    }
  }

  void forget(int index) {
    Located ask = asks.get(index);
    int place = ask.place();
    if (place != Segment.ABSENT) {
      ask.segment().remove(place);
    }
  }

  static AcquireResult answer(List<Outcome> outcomes, long nowMicros) {
    return new AcquireResult(outcomes, Micros.instant(nowMicros), AcquireResult.Mode.STORE);
  }

  @Override
  public void close() {
    locked.forEach(Segment::unlock);
  }
}
