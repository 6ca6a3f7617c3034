package dev.weir.notifications.kit;

import java.util.List;

/** A generated sequence of steps, each on one of two nodes. */
public record MessageTrace(List<Move> moves) {
  /** A step, or a change of the clock before the next one. */
  sealed interface Move {
    record Do(int node, MessageStep step) implements Move {}

    record MoveClock(long micros) implements Move {}

    /** Moves the clock by the wait of the last refusal, plus a difference. */
    record AwaitRetry(long moreMicros) implements Move {}
  }
}
