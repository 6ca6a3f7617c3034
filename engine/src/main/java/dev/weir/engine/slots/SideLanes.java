package dev.weir.engine.slots;

import dev.weir.engine.StoreException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Lanes for demands that would keep those of other configurations waiting, one for each
 * configuration. A lane works on its demands in order, on a virtual thread that ends with the last
 * of them. Thread-safe.
 *
 * <p>As long as a configuration has a lane, its further demands belong there, behind the ones
 * before them: ask {@link #follow} first.
 */
final class SideLanes {
  private final Consumer<List<Waiting>> work;
  private final boolean takesAllTimes;
  private final int maxBatch;
  private final int maxWaiting;

  /** Each batch under way holds a connection of the store: others must find some left. */
  private final Semaphore underWay;

  private final Map<String, Lane> lanes = new HashMap<>();
  private int waiting;

  /** A demand, and where its answer goes. */
  record Waiting(AssignRequest demand, CompletableFuture<Assignment> answer) {
    static Waiting of(AssignRequest demand) {
      return new Waiting(demand, new CompletableFuture<>());
    }
  }

  private static final class Lane {
    final Queue<Waiting> queue = new ArrayDeque<>();

    /** The latest time that was asked for in this lane. */
    Instant latest = Instant.MIN;
  }

  /**
   * @param takesAllTimes whether a lane takes all demands of its configuration, or only those for
   *     times up to the latest that it was opened for
   * @param work completes the answers of some demands of one configuration, in order
   */
  SideLanes(boolean takesAllTimes, SlotScheduler.Settings settings, Consumer<List<Waiting>> work) {
    this.takesAllTimes = takesAllTimes;
    this.maxBatch = settings.maxBatch();
    this.maxWaiting = settings.maxWaiting();
    this.underWay = new Semaphore(settings.maxAside(), true);
    this.work = work;
  }

  /** Takes a demand if there is a lane that it has to follow. */
  synchronized boolean follow(Waiting demand) {
    Lane lane = lanes.get(name(demand));
    if (lane == null || !(takesAllTimes || isCovered(demand, lane))) {
      return false;
    }
    add(lane, demand);
    return true;
  }

  /** Whether any lane is open: a cheap look before many demands are sorted. */
  synchronized boolean isAnyOpen() {
    return !lanes.isEmpty();
  }

  /** Takes a demand, and opens a lane if its configuration has none. */
  synchronized void open(Waiting demand) {
    String name = name(demand);
    Lane lane = lanes.get(name);
    if (lane == null) {
      lane = new Lane();
      lanes.put(name, lane);
      Lane opened = lane;
      Thread.ofVirtual().name("slots of " + name).start(() -> workOn(name, opened));
    }
    Instant requested = demand.demand().request().requestedTime();
    Instant covered = requested.equals(SlotRequest.NOW) ? Instant.MAX : requested;
    lane.latest = covered.isAfter(lane.latest) ? covered : lane.latest;
    add(lane, demand);
  }

  private void add(Lane lane, Waiting demand) {
    if (waiting >= maxWaiting) {
      demand
          .answer()
          .completeExceptionally(
              new StoreException(
                  StoreException.Outcome.NONE,
                  "overloaded: more than " + maxWaiting + " demands are waiting"));
      return;
    }
    waiting++;
    lane.queue.add(demand);
  }

  private void workOn(String name, Lane lane) {
    for (List<Waiting> batch = next(name, lane); !batch.isEmpty(); batch = next(name, lane)) {
      underWay.acquireUninterruptibly();
      try {
        work.accept(batch);
      } catch (RuntimeException | Error e) {
        for (Waiting demand : batch) {
          demand.answer().completeExceptionally(e);
        }
      } finally {
        underWay.release();
      }
    }
  }

  /** The next demands of a lane; none, and there is no such lane any more, after the last. */
  private synchronized List<Waiting> next(String name, Lane lane) {
    List<Waiting> batch = new ArrayList<>();
    while (!lane.queue.isEmpty() && batch.size() < maxBatch) {
      batch.add(Objects.requireNonNull(lane.queue.poll()));
    }
    waiting -= batch.size();
    if (batch.isEmpty()) {
      lanes.remove(name);
    }
    return batch;
  }

  private static boolean isCovered(Waiting demand, Lane lane) {
    Instant requested = demand.demand().request().requestedTime();
    return lane.latest.equals(Instant.MAX)
        || (!requested.equals(SlotRequest.NOW) && !requested.isAfter(lane.latest));
  }

  private static String name(Waiting demand) {
    return demand.demand().config().name();
  }
}
