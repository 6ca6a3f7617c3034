package dev.weir.notifications.sender;

import dev.weir.core.limits.Decision;
import dev.weir.engine.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets messages pass to a provider: a limited number at a time, within the provider's rate, and
 * none while the provider is paused. Thread-safe.
 *
 * <p>A failure of one user says nothing about others. If several users fail and no message of any
 * user is answered in between, the provider itself is taken for broken: it is paused, and then one
 * message at a time is tried, with growing pauses, until one is answered.
 */
final class ProviderGate {
  private static final Logger log = LoggerFactory.getLogger(ProviderGate.class);
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);
  private static final Duration PERMIT_WAIT = Duration.ofMillis(200);
  private static final Duration TURN_WAIT = Duration.ofMillis(20);

  /** How many users have to fail before the provider is taken for broken. */
  private static final int MIN_FAILING_USERS = 3;

  private final String provider;
  private final Semaphore permits;
  private final Optional<SenderSettings.Rate> rate;
  private final RetryPolicy retries;

  // The rest is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Long> failing = new HashSet<>();
  private int inFlight;
  private int brokenPauses;
  private long pausedUntilNanos = System.nanoTime();

  ProviderGate(
      String provider, int maxInFlight, Optional<SenderSettings.Rate> rate, RetryPolicy retries) {
    this.provider = provider;
    this.permits = new Semaphore(maxInFlight);
    this.rate = rate;
    this.retries = retries;
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
    lock.lock();
    try {
      inFlight--;
    } finally {
      lock.unlock();
    }
    permits.release();
  }

  /** Keeps all messages back for a time. */
  void pause(Duration duration) {
    lock.lock();
    try {
      pauseUntil(System.nanoTime() + duration.toNanos());
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the provider has answered for good, whatever it said. */
  void answered() {
    lock.lock();
    try {
      failing.clear();
      if (brokenPauses > 0) {
        brokenPauses = 0;
        log.info("Provider {} answers again", provider);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a message of a user failed.
   *
   * @param retryAfter min pause if the provider is broken
   */
  void failed(long userId, String reason, Duration retryAfter) {
    lock.lock();
    try {
      // Those that were in flight when it broke say nothing new.
      boolean isNews = pausedUntilNanos - System.nanoTime() <= 0;
      if (failing.size() < MIN_FAILING_USERS) {
        failing.add(userId);
      }
      if (failing.size() < MIN_FAILING_USERS || !isNews) {
        return;
      }
      if (brokenPauses == 0) {
        log.warn(
            "Provider {} fails for all users; one message at a time is tried until it answers: {}",
            provider,
            reason);
      }
      brokenPauses++;
      Duration pause = retries.pause(brokenPauses, ThreadLocalRandom.current());
      long now = System.nanoTime();
      pauseUntil(now + Math.max(pause.toNanos(), retryAfter.toNanos()));
    } finally {
      lock.unlock();
    }
  }

  private void pauseUntil(long nanos) {
    if (nanos - pausedUntilNanos > 0) {
      pausedUntilNanos = nanos;
    }
  }

  /** Returns zero if the message may pass now and has a permit; otherwise the time to wait. */
  private Duration tryPass(int parts) {
    Duration paused = paused();
    if (paused.isPositive()) {
      return paused;
    }
    if (!acquirePermit()) {
      return Duration.ofNanos(1);
    }
    if (!beginTurn()) {
      permits.release();
      return TURN_WAIT;
    }
    Duration wait = rateWait(parts);
    if (!wait.isZero()) {
      leave();
    }
    return wait;
  }

  private Duration paused() {
    lock.lock();
    try {
      return Duration.ofNanos(pausedUntilNanos - System.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /** Returns false if the provider is broken, and another message is tried or a pause has begun. */
  private boolean beginTurn() {
    lock.lock();
    try {
      if (brokenPauses > 0 && (inFlight > 0 || pausedUntilNanos - System.nanoTime() > 0)) {
        return false;
      }
      inFlight++;
      return true;
    } finally {
      lock.unlock();
    }
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
