package dev.weir.notifications;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sets aside the requests of users whose rows are locked in the database. One request of such a
 * user tries again from time to time, the others wait for it, and there is a maximum of them, so
 * that they take nothing from other users. Callers block. Thread-safe.
 */
final class BusyLanes {
  private static final int MAX_WAITING_OF_USER = 200;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration MAX_PAUSE = Duration.ofMillis(100);

  private final Duration maxWait;
  private final ConcurrentHashMap<Long, Lane> lanes = new ConcurrentHashMap<>();

  /** The requests of one user. */
  private static final class Lane {
    private final CompletableFuture<Boolean> opened = new CompletableFuture<>();
    private final AtomicInteger waiting = new AtomicInteger();
  }

  /**
   * @param maxWait maximum time for which a request is set aside
   */
  BusyLanes(Duration maxWait) {
    this.maxWait = maxWait;
  }

  /**
   * Returns the decision about a request of a user.
   *
   * @param attempt asks the database; empty if the user is locked
   * @throws StoreException if the user is locked for too long, or too many of its requests wait
   */
  <T> T decide(long userId, Supplier<Optional<T>> attempt) {
    @Nullable Lane lane = lanes.get(userId);
    long deadlineNanos = System.nanoTime() + maxWait.toNanos();
    while (true) {
      if (lane != null) {
        await(lane, userId, deadlineNanos);
      }
      Optional<T> result = attempt.get();
      if (result.isPresent()) {
        return result.get();
      }
      Lane own = new Lane();
      lane = lanes.putIfAbsent(userId, own);
      if (lane == null) {
        return lead(own, userId, attempt, deadlineNanos);
      }
    }
  }

  private <T> T lead(Lane lane, long userId, Supplier<Optional<T>> attempt, long deadlineNanos) {
    try {
      Duration pause = FIRST_PAUSE;
      while (true) {
        pause(pause, userId, deadlineNanos);
        Optional<T> result = attempt.get();
        if (result.isPresent()) {
          return result.get();
        }
        pause = pause.multipliedBy(2).compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause.multipliedBy(2);
      }
    } finally {
      lanes.remove(userId, lane);
      lane.opened.complete(true);
    }
  }

  private static void pause(Duration pause, long userId, long deadlineNanos) {
    long leftNanos = deadlineNanos - System.nanoTime();
    if (leftNanos <= 0) {
      throw locked(userId);
    }
    try {
      TimeUnit.NANOSECONDS.sleep(Math.min(pause.toNanos(), leftNanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw locked(userId);
    }
  }

  private static void await(Lane lane, long userId, long deadlineNanos) {
    try {
      if (lane.waiting.incrementAndGet() > MAX_WAITING_OF_USER) {
        throw new StoreException(
            StoreException.Outcome.NONE,
            "user %d is locked, and %d requests wait for it"
                .formatted(userId, MAX_WAITING_OF_USER));
      }
      var unused = lane.opened.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw locked(userId);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw locked(userId);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a lane does not fail", e);
    } finally {
      lane.waiting.decrementAndGet();
    }
  }

  private static StoreException locked(long userId) {
    return new StoreException(
        StoreException.Outcome.NONE, "user %d is locked by another transaction".formatted(userId));
  }
}
