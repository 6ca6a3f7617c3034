package dev.weir.store.jdbc.limits;

import dev.weir.core.limits.Limit;
import dev.weir.engine.limits.AcquireRequest;

/** What is done to usages in one step: a demand is decided, or given back. */
sealed interface LimitStep {
  AcquireRequest<? extends Limit> demand();

  /** Decides a demand. */
  record Decide(AcquireRequest<? extends Limit> demand) implements LimitStep {}

  /** Gives back what a demand took at a time. */
  record GiveBack(AcquireRequest<? extends Limit> demand, long takenAtMicros)
      implements LimitStep {}
}
