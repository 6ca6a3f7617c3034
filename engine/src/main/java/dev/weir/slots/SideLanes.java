package dev.weir.slots;

import dev.weir.StoreException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Lanes, one for each configuration, for requests that would keep those of other configurations
 * waiting. A lane processes its requests in order, on a virtual thread that ends with the last of
 * them. Thread-safe.
 *
 * <p>While a configuration has a lane, its further requests have to queue there behind the earlier
 * ones: call {@link #follow} first.
 */
final class SideLanes {
  private final Consumer<List<Waiting>> work;
  private final boolean takesAllTimes;
  private final int maxBatch;
  private final int maxWaiting;

  /** Each batch in progress uses a connection of the store; others must find some left. */
  private final Semaphore inProgress;

  private final Map<String, Lane> lanes = new HashMap<>();
  private int waitingCount;

  /** A request and the future of its result. */
  record Waiting(AssignRequest request, CompletableFuture<Assignment> result) {
    static Waiting of(AssignRequest request) {
      return new Waiting(request, new CompletableFuture<>());
    }
  }

  private static final class Lane {
    final Queue<Waiting> queue = new ArrayDeque<>();

    /** The latest time that was requested in this lane. */
    Instant latest = Instant.MIN;
  }

  /**
   * Creates the lanes of one kind; none is open.
   *
   * @param takesAllTimes true if a lane takes all requests of its configuration, false if only
   *     those for times up to the latest one that it was opened for
   * @param work completes the results of some requests of one configuration, in order
   */
  SideLanes(boolean takesAllTimes, SlotScheduler.Settings settings, Consumer<List<Waiting>> work) {
    this.takesAllTimes = takesAllTimes;
    this.maxBatch = settings.maxBatch();
    this.maxWaiting = settings.maxWaiting();
    this.inProgress = new Semaphore(settings.maxSideLanes(), true);
    this.work = work;
  }

  /** Takes a request if there is a lane that it has to follow. Returns false if there is none. */
  synchronized boolean follow(Waiting waiting) {
    Lane lane = lanes.get(name(waiting));
    if (lane == null || !(takesAllTimes || isCovered(waiting, lane))) {
      return false;
    }
    add(lane, waiting);
    return true;
  }

  /** Returns true if any lane is open: a cheap check before many requests are sorted. */
  synchronized boolean isAnyOpen() {
    return !lanes.isEmpty();
  }

  /** Takes a request, and opens a lane if its configuration has none. */
  synchronized void open(Waiting waiting) {
    String name = name(waiting);
    Lane lane = lanes.get(name);
    if (lane == null) {
      Lane opened = new Lane();
      // Started before the lane is visible: without a thread, its requests would wait forever. The
      // thread waits until this method returns.
      Thread.ofVirtual().name("slots of " + name).start(() -> workOn(name, opened));
      lanes.put(name, opened);
      lane = opened;
    }
    Optional<Instant> requested = waiting.request().request().requestedTime();
    Instant covered = requested.orElse(Instant.MAX);
    lane.latest = covered.isAfter(lane.latest) ? covered : lane.latest;
    add(lane, waiting);
  }

  private void add(Lane lane, Waiting waiting) {
    if (waitingCount >= maxWaiting) {
      waiting
          .result()
          .completeExceptionally(
              new StoreException(
                  StoreException.Outcome.NONE,
                  "overloaded: more than " + maxWaiting + " requests are waiting"));
      return;
    }
    waitingCount++;
    lane.queue.add(waiting);
  }

  private void workOn(String name, Lane lane) {
    for (List<Waiting> batch = next(name, lane); !batch.isEmpty(); batch = next(name, lane)) {
      inProgress.acquireUninterruptibly();
      try {
        work.accept(batch);
      } catch (RuntimeException | Error e) {
        for (Waiting waiting : batch) {
          waiting.result().completeExceptionally(e);
        }
      } finally {
        inProgress.release();
      }
    }
  }

  /** Returns the next requests of a lane. After the last one, returns none and removes the lane. */
  private synchronized List<Waiting> next(String name, Lane lane) {
    List<Waiting> batch = new ArrayList<>();
    while (!lane.queue.isEmpty() && batch.size() < maxBatch) {
      batch.add(Objects.requireNonNull(lane.queue.poll()));
    }
    waitingCount -= batch.size();
    if (batch.isEmpty()) {
      lanes.remove(name);
    }
    return batch;
  }

  private static boolean isCovered(Waiting waiting, Lane lane) {
    Optional<Instant> requested = waiting.request().request().requestedTime();
    return lane.latest.equals(Instant.MAX)
        || (requested.isPresent() && !requested.get().isAfter(lane.latest));
  }

  private static String name(Waiting waiting) {
    return waiting.request().config().name();
  }
}
