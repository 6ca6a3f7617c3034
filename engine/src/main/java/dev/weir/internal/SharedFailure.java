package dev.weir.internal;

import dev.weir.StoreException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls that callers make one after the other, and lets the callers that follow shortly share
 * the failure of one. While a store does not respond, each would otherwise wait for its own
 * failure, after those of all callers before it. Thread-safe.
 */
public final class SharedFailure {
  private static final long SHARED_MICROS = Micros.PER_SECOND;

  private final LongSupplier nowMicros;
  private volatile @Nullable Failure last;

  private record Failure(StoreException exception, long atMicros) {}

  /**
   * @param nowMicros a clock that never steps backwards
   */
  public SharedFailure(LongSupplier nowMicros) {
    this.nowMicros = nowMicros;
  }

  /**
   * Runs a call, unless one has failed within the last second.
   *
   * @throws StoreException the failure of this call, or of the last one
   */
  public void run(Runnable call) {
    Failure known = last;
    if (known != null && nowMicros.getAsLong() - known.atMicros() < SHARED_MICROS) {
      throw StoreException.shared(known.exception());
    }
    try {
      call.run();
      last = null;
    } catch (StoreException e) {
      last = new Failure(e, nowMicros.getAsLong());
      throw e;
    }
  }
}
