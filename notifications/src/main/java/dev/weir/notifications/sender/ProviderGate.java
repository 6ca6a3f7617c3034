package dev.weir.notifications.sender;

import dev.weir.StoreException;
import dev.weir.limits.Decision;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets messages pass to a provider: a limited number at a time, within the provider's rate, and
 * none while the provider is paused. Thread-safe.
 *
 * <p>Users whose last message failed or took long have places of their own, so that they leave
 * those of the others, however many they are and however long they hang. A user that was not known
 * to hang loses its place to the others after a short time.
 *
 * <p>A failure of one user says nothing about others. If several users fail and no message of any
 * user is answered in between, the provider itself is taken for broken: it is paused, and then one
 * message at a time is tried, with growing pauses, until one is answered. Users that failed before
 * are tried beside the others, so that neither they nor their pauses keep back a message that would
 * be answered.
 */
final class ProviderGate {
  private static final Logger log = LoggerFactory.getLogger(ProviderGate.class);
  private static final Duration STORE_PAUSE = Duration.ofSeconds(1);
  private static final Duration PLACE_WAIT = Duration.ofMillis(200);

  /** A message that has no answer for this time takes no place of users that answer. */
  private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();

  /** How many times as many places there are for users that hang as for others. */
  private static final int DOUBTFUL_SHARE = 4;

  /** A doubtful user that is forgotten is taken for one that answers, until it hangs again. */
  private static final int MAX_DOUBTFUL = 10_000;

  /** How many users have to fail before the provider is taken for broken. */
  private static final int MIN_FAILING_USERS = 3;

  private final String provider;
  private final Optional<SenderSettings.Rate> rate;
  private final RetryPolicy retries;

  // The rest is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Long> failing = new HashSet<>();
  private final Set<Long> doubtfulUsers = new LinkedHashSet<>();
  private final Group usual;
  private final Group doubtful;
  private boolean isBroken;

  /** Messages that share places and pauses. */
  private static final class Group {
    private final int max;
    private final Condition placeIsFree;
    private final Set<Pass> inFlight = new LinkedHashSet<>();
    private int brokenPauses;
    private long pausedUntilNanos = System.nanoTime();

    Group(int max, Condition placeIsFree) {
      this.max = max;
      this.placeIsFree = placeIsFree;
    }

    void pauseUntil(long nanos) {
      if (nanos - pausedUntilNanos > 0) {
        pausedUntilNanos = nanos;
      }
    }

    boolean isPaused() {
      return pausedUntilNanos - System.nanoTime() > 0;
    }
  }

  /** The place of a message that has passed. */
  static final class Pass {
    private final long userId;
    private final Group group;
    private final long sinceNanos = System.nanoTime();

    private Pass(long userId, Group group) {
      this.userId = userId;
      this.group = group;
    }

    private boolean isSlow() {
      return System.nanoTime() - sinceNanos > SLOW_NANOS;
    }
  }

  ProviderGate(
      String provider, int maxInFlight, Optional<SenderSettings.Rate> rate, RetryPolicy retries) {
    this.provider = provider;
    this.usual = new Group(maxInFlight, lock.newCondition());
    this.doubtful = new Group(maxInFlight * DOUBTFUL_SHARE, lock.newCondition());
    this.rate = rate;
    this.retries = retries;
  }

  /**
   * Waits to pass; returns empty if the partition is revoked meanwhile. A message that passes has
   * to {@link #leave}.
   */
  Optional<Pass> enter(Assignment assignment, long userId, int parts) {
    Fare fare = new Fare(parts);
    while (!assignment.isRevoked()) {
      Duration wait = paused(userId);
      if (!wait.isPositive()) {
        Optional<Pass> pass = takePlace(userId);
        wait = pass.isPresent() ? pay(fare) : Duration.ofNanos(1);
        if (wait.isZero()) {
          return pass;
        }
        pass.ifPresent(this::giveBack);
      }
      if (!assignment.pause(wait)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Ends a hand-over, whatever became of it. */
  void leave(Pass pass) {
    lock.lock();
    try {
      giveBack(pass);
      if (pass.isSlow()) {
        addDoubtful(pass.userId);
      } else {
        doubtfulUsers.remove(pass.userId);
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(Pass pass) {
    lock.lock();
    try {
      // It may have been moved.
      if (!usual.inFlight.remove(pass)) {
        doubtful.inFlight.remove(pass);
      }
      usual.placeIsFree.signal();
      doubtful.placeIsFree.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Keeps all messages back for a time. */
  void pause(Duration duration) {
    lock.lock();
    try {
      long until = System.nanoTime() + duration.toNanos();
      usual.pauseUntil(until);
      doubtful.pauseUntil(until);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that the provider has answered for good, whatever it said. */
  void answered() {
    lock.lock();
    try {
      failing.clear();
      if (isBroken) {
        isBroken = false;
        usual.brokenPauses = 0;
        doubtful.brokenPauses = 0;
        usual.placeIsFree.signalAll();
        doubtful.placeIsFree.signalAll();
        log.info("Provider {} answers again", provider);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a message failed that has left.
   *
   * @param retryAfter min pause if the provider is broken
   */
  void failed(Pass pass, String reason, Duration retryAfter) {
    lock.lock();
    try {
      addDoubtful(pass.userId);
      // Those that were in flight when it broke say nothing new.
      boolean isNews = !pass.group.isPaused();
      if (failing.size() < MIN_FAILING_USERS) {
        failing.add(pass.userId);
      }
      if (failing.size() < MIN_FAILING_USERS || !isNews) {
        return;
      }
      if (!isBroken) {
        isBroken = true;
        log.warn(
            "Provider {} fails for all users; one message at a time is tried until it answers: {}",
            provider,
            reason);
      }
      pass.group.brokenPauses++;
      Duration pause = retries.pause(pass.group.brokenPauses, ThreadLocalRandom.current());
      long now = System.nanoTime();
      pass.group.pauseUntil(now + Math.max(pause.toNanos(), retryAfter.toNanos()));
    } finally {
      lock.unlock();
    }
  }

  private void addDoubtful(long userId) {
    doubtfulUsers.add(userId);
    if (doubtfulUsers.size() > MAX_DOUBTFUL) {
      Iterator<Long> oldest = doubtfulUsers.iterator();
      oldest.next();
      oldest.remove();
    }
  }

  private Duration paused(long userId) {
    lock.lock();
    try {
      return Duration.ofNanos(group(userId).pausedUntilNanos - System.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  private Group group(long userId) {
    return doubtfulUsers.contains(userId) ? doubtful : usual;
  }

  /** Waits for a place for some time; returns empty if there is none, or a pause has begun. */
  private Optional<Pass> takePlace(long userId) {
    lock.lock();
    try {
      Group group = group(userId);
      long nanos = PLACE_WAIT.toNanos();
      while (!hasPlace(group) && nanos > 0) {
        nanos = group.placeIsFree.awaitNanos(nanos);
      }
      if (group.isPaused() || !hasPlace(group)) {
        // It may have been woken for a place that another one can take.
        group.placeIsFree.signal();
        return Optional.empty();
      }
      Pass pass = new Pass(userId, group);
      group.inFlight.add(pass);
      return Optional.of(pass);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private boolean hasPlace(Group group) {
    if (isBroken) {
      return group.inFlight.isEmpty();
    }
    if (group.equals(usual) && usual.inFlight.size() >= usual.max) {
      moveSlow();
    }
    return group.inFlight.size() < group.max;
  }

  /** Gives the places of messages that wait for their answer for long to others. */
  private void moveSlow() {
    Iterator<Pass> oldest = usual.inFlight.iterator();
    while (oldest.hasNext() && doubtful.inFlight.size() < doubtful.max) {
      Pass pass = oldest.next();
      if (!pass.isSlow()) {
        return;
      }
      oldest.remove();
      doubtful.inFlight.add(pass);
      usual.placeIsFree.signal();
    }
  }

  /** The parts of a message that the rate has yet to allow. */
  private static final class Fare {
    private long due;

    Fare(long due) {
      this.due = due;
    }
  }

  /**
   * Takes the parts of a message from the rate; returns how long to wait for the rest, zero if that
   * is nothing. A message of more parts than the rate allows at once pays in several steps.
   */
  private Duration pay(Fare fare) {
    if (rate.isEmpty()) {
      return Duration.ZERO;
    }
    SenderSettings.Rate limit = rate.get();
    while (fare.due > 0) {
      long cost = Math.min(fare.due, limit.policy().limit().maxCost());
      try {
        switch (limit.limiter().acquire(limit.policy(), provider, cost)) {
          case Decision.Allowed allowed -> fare.due -= cost;
          case Decision.Refused refused -> {
            return positive(refused.retryAfter());
          }
        }
      } catch (StoreException e) {
        return STORE_PAUSE;
      }
    }
    return Duration.ZERO;
  }

  private static Duration positive(Duration wait) {
    return wait.isPositive() ? wait : Duration.ofNanos(1);
  }
}
