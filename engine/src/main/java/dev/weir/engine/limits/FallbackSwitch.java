package dev.weir.engine.limits;

import dev.weir.core.Micros;
import dev.weir.core.limits.Limit;
import dev.weir.core.limits.Usage;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The rules for switching between a store and its fallback. Neither has the grants of the other, so
 * after a switch, in either direction, nothing may be granted until all grants of the other have
 * expired. Thread-safe.
 */
final class FallbackSwitch {
  /** How far ahead the log is written, so that only few requests write it. */
  private static final long LOGGED_AHEAD_MICROS = 5_000_000;

  private final FallbackLog log;
  private final LongSupplier nowMicros;
  private final ReentrantLock logging = new ReentrantLock();
  private volatile long loggedUntilMicros = Micros.EARLIEST;

  /** The time of the last request to the fallback: it may have been granted. */
  private volatile long fallbackUsedAtMicros;

  /**
   * Creates a switch.
   *
   * @param log the uses of the fallback before this process started; read immediately
   */
  FallbackSwitch(FallbackLog log, LongSupplier nowMicros) {
    this.log = log;
    this.nowMicros = nowMicros;
    this.fallbackUsedAtMicros = log.usedUntilMicros();
  }

  /** Returns true if the fallback was ever used, so that the store may lack its grants. */
  boolean isFallbackUsed() {
    return fallbackUsedAtMicros != Micros.EARLIEST;
  }

  /**
   * Records that the fallback is about to be called. Writes the log first; otherwise a restart in
   * between would lose the use.
   */
  void useFallback() {
    if (nowMicros.getAsLong() >= loggedUntilMicros) {
      writeLog();
    }
    fallbackUsedAtMicros = nowMicros.getAsLong();
  }

  private void writeLog() {
    logging.lock();
    try {
      long now = nowMicros.getAsLong();
      if (now >= loggedUntilMicros) {
        log.uses(now + LOGGED_AHEAD_MICROS);
        loggedUntilMicros = now + LOGGED_AHEAD_MICROS;
      }
    } finally {
      logging.unlock();
    }
  }

  /** Returns the time for which the store may lack grants of the fallback; not positive if none. */
  long storeLacksMicros(AcquireRequest request) {
    // The fallback decides no request with a closed policy, so it has granted nothing for it.
    return lacksMicros(
        request.parts().stream()
            .filter(part -> part.policy().onStoreFailure() != OnStoreFailure.CLOSED)
            .toList(),
        fallbackUsedAtMicros);
  }

  /**
   * Returns the time for which the fallback may lack grants of the store; not positive if none.
   *
   * @param storeUsedUntilMicros the time until which the store may have granted
   */
  long fallbackLacksMicros(AcquireRequest request, long storeUsedUntilMicros) {
    return lacksMicros(request.parts(), storeUsedUntilMicros);
  }

  /** The other store granted nothing for policies that were created after it was last used. */
  private long lacksMicros(List<LimitRequest> parts, long untilMicros) {
    long lacksUntilMicros = untilMicros;
    for (LimitRequest part : parts) {
      if (Micros.clamped(part.policy().createdAt()) < untilMicros) {
        Limit limit = part.policy().limit();
        Usage all = limit.take(limit.settle(Usage.NONE, untilMicros), limit.maxCost(), untilMicros);
        lacksUntilMicros =
            Math.max(lacksUntilMicros, untilMicros + limit.idleMicros(all, untilMicros));
      }
    }
    return lacksUntilMicros - nowMicros.getAsLong();
  }
}
