package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.Outcome;
import dev.weir.limits.Refund;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The result of one call of a batch. */
sealed interface CallResult {
  /** Returns the reply of the script, or throws why there is none. */
  Reply orThrow();

  /**
   * The reply of the script, which its caller reads by the mode of the call.
   *
   * @param code a code of {@link Reply}
   * @param note the note of the granted request, if it is replayed
   */
  record Reply(int code, List<Outcome> outcomes, long decidedAtMicros, long nowMicros, UUID note)
      implements CallResult {
    static final int GRANTED = 1;
    static final int REPLAYED = 2;
    static final int UNREADABLE = 3;
    static final int GIVEN_BACK = 4;
    static final int REUSED = 5;
    static final int UNKNOWN = 6;

    /** Returns the answer to {@link LimitCall.Mode#TAKE}. */
    boolean isTaken() {
      return code == GRANTED;
    }

    /** Returns the answer to a decision or a peek. */
    AcquireResult result() {
      Instant decidedAt = Micros.instant(decidedAtMicros);
      if (code == REUSED) {
        return AcquireResult.reused(decidedAt);
      }
      AcquireResult result = new AcquireResult(outcomes, decidedAt, AcquireResult.Mode.STORE);
      return code == REPLAYED ? result.replayed(Micros.instant(nowMicros), note) : result;
    }

    /** Returns the answer to {@link LimitCall.Mode#RECALL}; empty if the request id is unknown. */
    Optional<AcquireResult> recalled() {
      return code == UNKNOWN ? Optional.empty() : Optional.of(result());
    }

    /** Returns the answer to {@link LimitCall.Mode#REFUND}. */
    Refund refund() {
      return switch (code) {
        case GIVEN_BACK -> Refund.GIVEN_BACK;
        case REUSED -> Refund.REUSED;
        default -> Refund.UNKNOWN;
      };
    }

    @Override
    public Reply orThrow() {
      return this;
    }
  }

  record Failed(StoreException failure) implements CallResult {
    @Override
    public Reply orThrow() {
      throw StoreException.shared(failure);
    }
  }
}
