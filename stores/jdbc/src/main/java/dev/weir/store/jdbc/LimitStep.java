package dev.weir.store.jdbc;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.Demand;

/** What is done to usages in one step: a demand is decided, or given back. */
sealed interface LimitStep {
  Demand<? extends Limit> demand();

  /** Decides a demand. */
  record Decide(Demand<? extends Limit> demand) implements LimitStep {}

  /** Gives back what a demand took at a time. */
  record GiveBack(Demand<? extends Limit> demand, long takenAtMicros) implements LimitStep {}
}
