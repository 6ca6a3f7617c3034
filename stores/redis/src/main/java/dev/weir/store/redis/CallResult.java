package dev.weir.store.redis;

import dev.weir.engine.StoreException;
import dev.weir.engine.limits.AcquireResult;
import dev.weir.engine.limits.Refund;

/** What became of one call among those that went together. */
sealed interface CallResult {
  /** Of a call that wants a yes or a no. */
  record Taken(boolean isTaken) implements CallResult {}

  record Answered(AcquireResult answer) implements CallResult {}

  /** Of a call that gives back. */
  record GivenBack(Refund refund) implements CallResult {}

  /** Of a call that recalls a request id that is not known. */
  record Unknown() implements CallResult {}

  record Failed(StoreException failure) implements CallResult {}
}
