package dev.weir.store.jdbc.limits;

import dev.weir.limits.AcquireRequest;

/** One operation on usages: decide a request, or refund it. */
sealed interface LimitStep {
  AcquireRequest request();

  /** Decides a request. */
  record Decide(AcquireRequest request) implements LimitStep {}

  /** Refunds what a request took at a time. */
  record GiveBack(AcquireRequest request, long takenAtMicros) implements LimitStep {}
}
