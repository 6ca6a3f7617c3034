package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Refund;

/** The result of one call of a batch. */
sealed interface CallResult {
  /** The result of {@link LimitCall.Mode#TAKE}. */
  record Taken(boolean isTaken) implements CallResult {}

  record Decided(AcquireResult result) implements CallResult {}

  /** The result of {@link LimitCall.Mode#REFUND}. */
  record GivenBack(Refund refund) implements CallResult {}

  /** The result of {@link LimitCall.Mode#RECALL} if the request id is unknown. */
  record Unknown() implements CallResult {}

  record Failed(StoreException failure) implements CallResult {}
}
