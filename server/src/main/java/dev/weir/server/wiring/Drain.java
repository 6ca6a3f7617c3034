package dev.weir.server.wiring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a node leaves, at all its doors at once, without cutting anything: from now on every answer
 * asks its connection to close. After the notice newcomers are refused, while those who are
 * connected may still ask; a connection that asks nothing more is closed, and what is under way may
 * end within the bound.
 */
final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  /** Long enough for a client to finish connecting that has begun to. */
  private static final Duration ARRIVAL = Duration.ofMillis(200);

  private Drain() {}

  /**
   * How long a drain may take.
   *
   * @param most in all
   * @param notice from not being ready to not listening
   * @param idle how long a connection that asks nothing is kept
   */
  record Patience(Duration most, Duration notice, Duration idle) {}

  /** Where clients come in. */
  interface Door {
    /** From now on every answer asks its connection to close. */
    void begin();

    /**
     * From now on newcomers are refused.
     *
     * @param arrival as long as it may take to connect
     */
    void refuseNewcomers(Duration arrival) throws InterruptedException;

    /** Lets each connection end; completed when all have. */
    CompletableFuture<Void> endWhenIdle(Duration idle);

    /** How many connections are open. */
    int count();
  }

  static void run(Patience patience, List<Door> doors) {
    long endNanos = System.nanoTime() + patience.most().toNanos();
    doors.forEach(Door::begin);
    try {
      TimeUnit.NANOSECONDS.sleep(within(endNanos, patience.notice()).toNanos());
      for (Door door : doors) {
        door.refuseNewcomers(within(endNanos, ARRIVAL));
      }
      CompletableFuture.allOf(
              doors.stream()
                  .map(door -> door.endWhenIdle(within(endNanos, patience.idle())))
                  .toArray(CompletableFuture<?>[]::new))
          .get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      log.warn(
          "{} connections still in use after {} are cut",
          doors.stream().mapToInt(Door::count).sum(),
          patience.most());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      log.warn("Draining failed", e);
    }
  }

  private static Duration within(long endNanos, Duration wish) {
    Duration left = Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
    return wish.compareTo(left) < 0 ? wish : left;
  }
}
