package dev.weir.payments.server.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/** The rate at which payments of a feed end, over the last seconds. Not thread-safe. */
final class FeedRate {
  private static final long SPAN_NANOS = 10_000_000_000L;

  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long nanos, long ended) {}

  /** Adds what was seen, and returns the number of payments per second. */
  double add(long nowNanos, long ended) {
    samples.addLast(new Sample(nowNanos, ended));
    while (samples.size() > 2 && nowNanos - samples.getFirst().nanos() > SPAN_NANOS) {
      samples.removeFirst();
    }
    Sample first = samples.getFirst();
    double seconds = (nowNanos - first.nanos()) / 1e9;
    return seconds > 0 ? (ended - first.ended()) / seconds : 0;
  }
}
