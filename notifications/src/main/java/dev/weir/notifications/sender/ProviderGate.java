package dev.weir.notifications.sender;

import dev.weir.core.limits.Decision;
import dev.weir.engine.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets messages pass to a provider: a limited number at a time, within the provider's rate, and
 * none while the provider is paused. Thread-safe.
 */
final class ProviderGate {
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);
  private static final Duration PERMIT_WAIT = Duration.ofMillis(200);

  private final String provider;
  private final Semaphore permits;
  private final Optional<SenderSettings.Rate> rate;
  private final AtomicLong pausedUntilNanos = new AtomicLong(System.nanoTime());

  ProviderGate(String provider, int maxInFlight, Optional<SenderSettings.Rate> rate) {
    this.provider = provider;
    this.permits = new Semaphore(maxInFlight);
    this.rate = rate;
  }

  /**
   * Waits to pass; returns false if the partition is revoked meanwhile. A message that passes has
   * to {@link #leave}.
   */
  boolean enter(Assignment assignment, int parts) {
    while (!assignment.isRevoked()) {
      Duration wait = tryPass(parts);
      if (wait.isZero()) {
        return true;
      }
      if (!assignment.pause(wait)) {
        return false;
      }
    }
    return false;
  }

  void leave() {
    permits.release();
  }

  /** Keeps all messages back for a time. */
  void pause(Duration duration) {
    long until = System.nanoTime() + duration.toNanos();
    pausedUntilNanos.accumulateAndGet(until, (known, other) -> other - known > 0 ? other : known);
  }

  /** Returns zero if the message may pass now and has a permit; otherwise the time to wait. */
  private Duration tryPass(int parts) {
    long pausedNanos = pausedUntilNanos.get() - System.nanoTime();
    if (pausedNanos > 0) {
      return Duration.ofNanos(pausedNanos);
    }
    if (!acquirePermit()) {
      return Duration.ofNanos(1);
    }
    Duration wait = rateWait(parts);
    if (!wait.isZero()) {
      permits.release();
    }
    return wait;
  }

  private boolean acquirePermit() {
    try {
      return permits.tryAcquire(PERMIT_WAIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Duration rateWait(int parts) {
    if (rate.isEmpty()) {
      return Duration.ZERO;
    }
    SenderSettings.Rate limit = rate.get();
    long cost = Math.min(parts, limit.policy().limit().maxCost());
    try {
      return switch (limit.limiter().acquire(limit.policy(), provider, cost)) {
        case Decision.Allowed allowed -> Duration.ZERO;
        case Decision.Refused refused -> positive(refused.retryAfter());
      };
    } catch (StoreException e) {
      return STORE_PAUSE;
    }
  }

  private static Duration positive(Duration wait) {
    return wait.isPositive() ? wait : Duration.ofNanos(1);
  }
}
