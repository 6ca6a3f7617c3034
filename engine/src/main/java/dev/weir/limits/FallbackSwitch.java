package dev.weir.limits;

import dev.weir.StoreException;
import dev.weir.internal.Micros;
import dev.weir.internal.SharedFailure;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The rules for switching between a store and its fallback. Neither has the grants of the other, so
 * after a switch, in either direction, nothing may be granted until all grants of the other have
 * expired.
 *
 * <p>Other nodes may use the fallback while this one does not. Their uses count here if this node
 * has seen a failure of the store: the log is read before the next grant. A node that has seen none
 * does not read the log, and ignores uses by nodes that have lost the store alone; otherwise, one
 * such node would stop all others. Thread-safe.
 */
final class FallbackSwitch {
  /** How far ahead the log is written, so that only few requests write it. */
  private static final long LOGGED_AHEAD_MICROS = 5_000_000;

  /**
   * The time for which other nodes may continue to use the fallback after the store has recovered:
   * the max pause of a breaker.
   */
  private static final long NOTICED_WITHIN_MICROS =
      Micros.floor(CircuitBreaker.Settings.DEFAULT.maxPause());

  private final FallbackLog log;
  private final CircuitBreaker breaker;
  private final Consumer<StoreException> logFailed;
  private final LongSupplier nowMicros;
  private final ReentrantLock logging = new ReentrantLock();
  private final SharedFailure logFailure;
  private volatile long loggedUntilMicros = Micros.EARLIEST;

  /** The time of the last request of this node to the fallback: it may have been granted. */
  private final AtomicLong usedHereAtMicros = new AtomicLong(Micros.EARLIEST);

  private final ReentrantLock reading = new ReentrantLock();

  /** The time until which any node may have used the fallback, when the log was last read. */
  private volatile long usedByAnyUntilMicros;

  /** The number of failures of the store when the log was last read. */
  private volatile long failuresAtRead;

  /**
   * Creates a switch.
   *
   * @param log the uses of the fallback by all nodes; read immediately, for the uses before this
   *     process started
   * @param breaker the breaker of the store
   * @param logFailed receives the failures to read the log
   */
  FallbackSwitch(
      FallbackLog log,
      CircuitBreaker breaker,
      Consumer<StoreException> logFailed,
      LongSupplier nowMicros) {
    this.log = log;
    this.breaker = breaker;
    this.logFailed = logFailed;
    this.nowMicros = nowMicros;
    this.logFailure = new SharedFailure(nowMicros);
    this.failuresAtRead = breaker.failureCount();
    this.usedByAnyUntilMicros = untilAllNotice(log.usedUntilMicros());
  }

  /** Returns true if the fallback may have been used, so that the store may lack its grants. */
  boolean mayBeUsed() {
    return usedHereAtMicros.get() != Micros.EARLIEST
        || usedByAnyUntilMicros != Micros.EARLIEST
        || isLogOutdated();
  }

  private boolean isLogOutdated() {
    return breaker.failureCount() != failuresAtRead;
  }

  /**
   * Records a use of the fallback: call it before and after the call, because the fallback may
   * grant at any moment in between. Writes the log first; otherwise a restart in between would lose
   * the use.
   *
   * @throws StoreException if the log cannot be written; then the fallback must not be called
   */
  void useFallback() {
    if (nowMicros.getAsLong() >= loggedUntilMicros) {
      writeLog();
    }
    usesFallback();
  }

  /** Records for this node alone that the fallback may have granted until now. */
  void usesFallback() {
    usedHereAtMicros.accumulateAndGet(nowMicros.getAsLong(), Math::max);
  }

  private void writeLog() {
    logging.lock();
    try {
      long now = nowMicros.getAsLong();
      if (now >= loggedUntilMicros) {
        logFailure.run(() -> log.uses(now + LOGGED_AHEAD_MICROS));
        loggedUntilMicros = now + LOGGED_AHEAD_MICROS;
      }
    } finally {
      logging.unlock();
    }
  }

  /** Reads the log if the store has failed since it was last read. */
  private void readLog() {
    reading.lock();
    try {
      long failures = breaker.failureCount();
      if (failures != failuresAtRead) {
        usedByAnyUntilMicros = Math.max(usedByAnyUntilMicros, loggedUse());
        failuresAtRead = failures;
      }
    } finally {
      reading.unlock();
    }
  }

  private long loggedUse() {
    try {
      return untilAllNotice(log.usedUntilMicros());
    } catch (StoreException e) {
      logFailed.accept(e);
      // Assume the worst, and do not try again: all requests would wait for the log in turn.
      return nowMicros.getAsLong() + NOTICED_WITHIN_MICROS;
    }
  }

  /** Returns the time until which a use may last that the log reports as still in progress. */
  private long untilAllNotice(long loggedUntil) {
    long now = nowMicros.getAsLong();
    return loggedUntil > now ? Math.max(loggedUntil, now + NOTICED_WITHIN_MICROS) : loggedUntil;
  }

  /** Returns the time for which the store may lack grants of the fallback; not positive if none. */
  long storeLacksMicros(AcquireRequest request) {
    if (isLogOutdated()) {
      readLog();
    }
    // The fallback decides no request with a closed policy, so it has granted nothing for it.
    return lacksMicros(
        request.parts().stream()
            .filter(part -> part.policy().onStoreFailure() != OnStoreFailure.CLOSED)
            .toList(),
        Math.max(usedHereAtMicros.get(), usedByAnyUntilMicros));
  }

  /**
   * Returns the time for which the fallback may lack grants of the store; not positive if none.
   *
   * @param storeUsedUntilMicros the time until which the store may have granted
   */
  long fallbackLacksMicros(AcquireRequest request, long storeUsedUntilMicros) {
    return lacksMicros(request.parts(), storeUsedUntilMicros);
  }

  /**
   * The other store granted nothing that still matters for policies that were created after it was
   * last used, or whose former limit had restored it when it was changed.
   */
  private long lacksMicros(List<LimitRequest> parts, long untilMicros) {
    long lacksUntilMicros = untilMicros;
    for (LimitRequest part : parts) {
      if (part.policy().createdAtMicros() < untilMicros) {
        Limit limit = part.policy().limit();
        long takenAt = part.policy().takenAtMicros(untilMicros);
        Usage all = limit.take(limit.settle(Usage.NONE, takenAt), limit.maxCost(), takenAt);
        lacksUntilMicros = Math.max(lacksUntilMicros, takenAt + limit.idleMicros(all, takenAt));
      }
    }
    return lacksUntilMicros - nowMicros.getAsLong();
  }
}
