package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.AllOrNothing;
import dev.weir.core.limits.Decision;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The asks of a demand, with the segments of their keys locked until it is closed.
 *
 * <p>Segments are locked in their order, each once, so that two demands never wait for each other.
 */
final class LockedAsks implements AutoCloseable {
  /** An ask and where its count is kept. */
  private record Located(
      Ask<? extends Limit> ask, UsageTable table, Segment segment, long first, long second) {
    Limit limit() {
      return ask.policy().limit();
    }

    int place() {
      return segment.find(first, second);
    }

    Usage usage() {
      return segment.usage(place());
    }

    void write(Usage usage, long nowMicros) {
      int place = place();
      if (place != Segment.ABSENT) {
        segment.write(place, limit(), usage.atMicros(), usage.used(), usage.before());
      } else if (!usage.isNone()) {
        segment.add(
            first, second, limit(), usage.atMicros(), usage.used(), usage.before(), nowMicros);
      }
    }
  }

  private final List<Located> asks;
  private final List<Segment> locked;

  private LockedAsks(List<Located> asks, List<Segment> locked) {
    this.asks = asks;
    this.locked = locked;
  }

  static LockedAsks lock(
      Demand<? extends Limit> demand, KeyHash hash, Function<Limit, UsageTable> tables) {
    List<Located> located = new ArrayList<>(demand.asks().size());
    List<Segment> segments = new ArrayList<>(demand.asks().size());
    for (Ask<? extends Limit> ask : demand.asks()) {
      Limit limit = ask.policy().limit();
      UsageTable table = tables.apply(limit);
      KeyHash.Prefix prefix = hash.prefix(MemoryLimitStore.kind(limit), ask.policy().name());
      long first = hash.first(prefix, ask.key());
      Segment segment = table.segmentOf(first);
      located.add(new Located(ask, table, segment, first, hash.second(prefix, ask.key())));
      insertInOrder(segments, segment);
    }
    segments.forEach(Segment::lock);
    return new LockedAsks(located, segments);
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

  Answer decide(long nowMicros) {
    List<AllOrNothing.Part> parts = new ArrayList<>(asks.size());
    for (Located ask : asks) {
      parts.add(new AllOrNothing.Part(ask.limit(), ask.usage(), ask.ask().cost()));
    }
    AllOrNothing.Step step = AllOrNothing.decide(parts, nowMicros);
    if (step.isGranted()) {
      requireRoom(nowMicros);
      for (int i = 0; i < asks.size(); i++) {
        asks.get(i).write(step.next().get(i), nowMicros);
      }
    }
    return answer(step.decisions(), nowMicros);
  }

  /** Asks for room for all keys before any is added, so that nothing is half done. */
  private void requireRoom(long nowMicros) {
    int absent = 0;
    for (Located ask : asks) {
      absent += ask.place() == Segment.ABSENT ? 1 : 0;
    }
    if (absent > 0) {
      asks.getFirst().table().requireRoom(absent, locked, nowMicros);
    }
  }

  Answer peek(long nowMicros) {
    List<Decision> decisions = new ArrayList<>(asks.size());
    for (Located ask : asks) {
      decisions.add(ask.limit().peek(ask.usage(), ask.ask().cost(), nowMicros));
    }
    return answer(decisions, nowMicros);
  }

  void refund(long takenAtMicros, long nowMicros) {
    for (Located ask : asks) {
      if (ask.place() != Segment.ABSENT) {
        ask.write(
            ask.limit().refund(ask.usage(), ask.ask().cost(), takenAtMicros, nowMicros), nowMicros);
      }
    }
  }

  Usage usage(int index) {
    return asks.get(index).usage();
  }

  void forget(int index) {
    Located ask = asks.get(index);
    int place = ask.place();
    if (place != Segment.ABSENT) {
      ask.segment().remove(place);
    }
  }

  static Answer answer(List<Decision> decisions, long nowMicros) {
    return new Answer(decisions, Micros.instant(nowMicros), Answer.Mode.STORE, false);
  }

  @Override
  public void close() {
    locked.forEach(Segment::unlock);
  }
}
