package dev.weir.store.jdbc.limits;

import dev.weir.engine.limits.AcquireRequest;

/** What is done to usages in one step: a demand is decided, or given back. */
sealed interface LimitStep {
  AcquireRequest demand();

  /** Decides a demand. */
  record Decide(AcquireRequest demand) implements LimitStep {}

  /** Gives back what a demand took at a time. */
  record GiveBack(AcquireRequest demand, long takenAtMicros) implements LimitStep {}
}
