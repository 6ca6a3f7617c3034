package dev.weir.node.lifecycle;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shuts down all ports of a node without cutting off requests. From the start, every response asks
 * its connection to close. After the notice period, new connections are refused, while open ones
 * may still send requests; idle connections are closed, and requests in progress may finish within
 * the time limit.
 */
public final class Drain {
  private static final Logger log = LoggerFactory.getLogger(Drain.class);

  /** Long enough for a client to finish a connection attempt that is in progress. */
  private static final Duration ARRIVAL = Duration.ofMillis(200);

  private Drain() {}

  /**
   * How long a drain may take.
   *
   * @param max max time in total
   * @param notice time from not being ready to not listening
   * @param idle how long an idle connection is kept
   */
  public record Times(Duration max, Duration notice, Duration idle) {
    private static final Duration MAX_DRAINING = Duration.ofHours(1);

    /** Reads how long the ports of a node may take. */
    public static Times of(Settings settings) {
      return new Times(
          settings.duration(ServerSetting.DRAIN, Duration.ZERO, MAX_DRAINING),
          settings.duration(ServerSetting.DRAIN_NOTICE, Duration.ZERO, MAX_DRAINING),
          settings.duration(ServerSetting.DRAIN_IDLE, Duration.ZERO, MAX_DRAINING));
    }
  }

  /** A port that clients connect to. */
  public interface Door {
    /** Makes every response from now on ask its connection to close. */
    void begin();

    /**
     * Refuses new connections from now on.
     *
     * @param arrival max time that connecting may take
     */
    void refuseNewcomers(Duration arrival) throws InterruptedException;

    /** Closes each connection when it is idle; completes when all are closed. */
    CompletableFuture<Void> endWhenIdle(Duration idle);

    /** Returns the number of open connections. */
    int count();
  }

  /** Drains these ports. */
  public static void run(Times drainTimes, List<Door> doors) {
    long endNanos = System.nanoTime() + drainTimes.max().toNanos();
    doors.forEach(Door::begin);
    try {
      TimeUnit.NANOSECONDS.sleep(within(endNanos, drainTimes.notice()).toNanos());
      for (Door door : doors) {
        door.refuseNewcomers(within(endNanos, ARRIVAL));
      }
      CompletableFuture.allOf(
              doors.stream()
                  .map(door -> door.endWhenIdle(within(endNanos, drainTimes.idle())))
                  .toArray(CompletableFuture<?>[]::new))
          .get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      log.warn(
          "{} connections still in use after {} are cut",
          doors.stream().mapToInt(Door::count).sum(),
          drainTimes.max());
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
