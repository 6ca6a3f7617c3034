package dev.weir.slots;

import dev.weir.StoreException;
import dev.weir.internal.Batcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Collects concurrent slot requests and passes them to the ledger in batches. Thread-safe; callers
 * block and are meant to be virtual threads.
 */
final class AssignmentBatcher {
  private final SlotLedger ledger;
  private final ConfigCache configs;
  private final SlotObserver observer;

  /** Several configurations share a lane, so that one transaction can serve several of them. */
  private final List<Batcher<AssignRequest, CompletableFuture<Assignment>>> lanes;

  /** For configurations that another transaction has locked. */
  private final SideLanes locked;

  /** For times whose windows have not been counted yet. */
  private final SideLanes uncounted;

  AssignmentBatcher(
      SlotLedger ledger,
      ConfigCache configs,
      SlotScheduler.Settings settings,
      SlotObserver observer) {
    this.ledger = ledger;
    this.configs = configs;
    this.observer = observer;
    this.lanes =
        Stream.generate(
                () -> new Batcher<>(this::assignBatch, settings.maxBatch(), settings.maxWaiting()))
            .limit(settings.lanes())
            .toList();
    this.locked = new SideLanes(true, settings, this::waitForLock);
    this.uncounted = new SideLanes(false, settings, this::countAndAssign);
  }

  /**
   * Submits requests without waiting: each event gets its slot after the events of the same
   * configuration that were submitted earlier. Failures are thrown by {@link
   * SlotScheduler.Pending#await}.
   */
  SlotScheduler.Pending submit(List<SlotRequest> requests) {
    long begin = System.nanoTime();
    observer.waiting(requests.size());
    Supplier<List<Assignment>> results;
    try {
      results = enqueue(requests);
    } catch (RuntimeException e) {
      results =
          () -> {
            throw e;
          };
    }
    Supplier<List<Assignment>> pending = results;
    return () -> {
      try {
        return await(pending, begin);
      } finally {
        observer.waiting(-requests.size());
      }
    };
  }

  private List<Assignment> await(Supplier<List<Assignment>> pending, long begin) {
    try {
      List<Assignment> results = pending.get();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      for (Assignment result : results) {
        observer.answered(result, took);
      }
      return results;
    } catch (RuntimeException e) {
      observer.failed(Duration.ofNanos(System.nanoTime() - begin));
      throw e;
    }
  }

  private Supplier<List<Assignment>> enqueue(List<SlotRequest> requests) {
    Map<String, Optional<SlotConfig>> found = new HashMap<>();
    for (SlotRequest request : requests) {
      found.computeIfAbsent(request.configName(), configs::find);
    }
    Assignment[] results = new Assignment[requests.size()];
    List<InLane> inLanes = new ArrayList<>(lanes.size());
    for (int lane = 0; lane < lanes.size(); lane++) {
      List<AssignRequest> laneRequests = new ArrayList<>(requests.size());
      List<Integer> positions = new ArrayList<>(requests.size());
      for (int i = 0; i < results.length; i++) {
        SlotRequest request = requests.get(i);
        Optional<SlotConfig> config = found.getOrDefault(request.configName(), Optional.empty());
        if (config.isEmpty()) {
          results[i] = new Assignment.UnknownConfig(request);
        } else if (laneOf(request) == lane) {
          laneRequests.add(new AssignRequest(request, config.get()));
          positions.add(i);
        }
      }
      if (!laneRequests.isEmpty()) {
        inLanes.add(new InLane(enqueue(lanes.get(lane), laneRequests), positions));
      }
    }
    // If there are several lanes, one may have done its part when another fails.
    return inLanes.size() > 1
        ? () -> StoreException.afterDone(() -> gather(inLanes, results))
        : () -> gather(inLanes, results);
  }

  /**
   * Enqueues requests in a lane. A lane that rejects them fails when it is awaited, like one that
   * fails later.
   */
  private static Batcher.Pending<CompletableFuture<Assignment>> enqueue(
      Batcher<AssignRequest, CompletableFuture<Assignment>> lane, List<AssignRequest> requests) {
    try {
      return lane.enqueue(requests);
    } catch (StoreException e) {
      return () -> {
        throw e;
      };
    }
  }

  /** Waits for all lanes, whatever fails: a lane relies on its callers to do its work. */
  private static List<Assignment> gather(List<InLane> inLanes, Assignment[] results) {
    Optional<RuntimeException> failure = Optional.empty();
    for (InLane inLane : inLanes) {
      try {
        gather(inLane, results);
      } catch (RuntimeException e) {
        failure = Optional.of(failure.orElse(e));
      } catch (Error e) {
        failure = Optional.of(failure.orElse(internal(e)));
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    return List.of(results);
  }

  private static void gather(InLane inLane, Assignment[] results) {
    List<CompletableFuture<Assignment>> futures = inLane.pending().await();
    for (int i = 0; i < futures.size(); i++) {
      CompletableFuture<Assignment> future = futures.get(i);
      // Of several requests, one may have been moved to a side lane and failed when others were
      // done.
      results[inLane.positions().get(i)] =
          futures.size() > 1 ? StoreException.afterDone(() -> await(future)) : await(future);
    }
  }

  /** The requests in a lane, and their positions in the submitted list. */
  private record InLane(
      Batcher.Pending<CompletableFuture<Assignment>> pending, List<Integer> positions) {}

  private static Assignment await(CompletableFuture<Assignment> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw internal(error);
      }
      throw StoreException.shared(e.getCause() instanceof RuntimeException cause ? cause : e);
    }
  }

  /**
   * Returns the exception of a request whose processing ended with an error of this process. It is
   * not a failure of the store, and must not look like one. Wrapped, because the caller still has
   * to wait for its other lanes.
   */
  private static IllegalStateException internal(Error error) {
    return new IllegalStateException("assigning slots failed: " + error, error);
  }

  private int laneOf(SlotRequest request) {
    return Math.floorMod(request.configName().hashCode(), lanes.size());
  }

  /**
   * Completes the requests that need no waiting. The others move to a side lane of their
   * configuration, and so do later ones of that configuration: requests go from this lane to {@link
   * #locked} to {@link #uncounted} and never overtake an earlier request on the way.
   */
  private List<CompletableFuture<Assignment>> assignBatch(List<AssignRequest> requests) {
    int fitting = ledger.batchSize(requests);
    if (fitting == requests.size()) {
      return assignTogether(requests);
    }
    List<CompletableFuture<Assignment>> results = new ArrayList<>(requests.size());
    for (int from = 0; from < requests.size(); from += fitting) {
      List<AssignRequest> rest = requests.subList(from, requests.size());
      fitting = ledger.batchSize(rest);
      List<AssignRequest> portion = rest.subList(0, fitting);
      try {
        results.addAll(assignTogether(portion));
      } catch (RuntimeException e) {
        // The earlier portions have been completed.
        portion.forEach(request -> results.add(CompletableFuture.failedFuture(e)));
      }
    }
    return results;
  }

  private List<CompletableFuture<Assignment>> assignTogether(List<AssignRequest> requests) {
    boolean noneAside = !locked.isAnyOpen() && !uncounted.isAnyOpen();
    List<CompletableFuture<Assignment>> results = new ArrayList<>(requests.size());
    List<SideLanes.Waiting> here = new ArrayList<>(noneAside ? 0 : requests.size());
    if (!noneAside) {
      for (AssignRequest request : requests) {
        SideLanes.Waiting waiting = SideLanes.Waiting.of(request);
        results.add(waiting.result());
        if (!locked.follow(waiting) && !uncounted.follow(waiting)) {
          here.add(waiting);
        }
      }
      processOrFail(here, WaitMode.NONE);
      return results;
    }
    List<? extends AssignReply> replies = attempt(requests, WaitMode.NONE);
    for (int i = 0; i < replies.size(); i++) {
      if (replies.get(i) instanceof Assignment assignment) {
        results.add(CompletableFuture.completedFuture(assignment));
      } else {
        SideLanes.Waiting waiting = SideLanes.Waiting.of(requests.get(i));
        results.add(waiting.result());
        complete(waiting, replies.get(i));
      }
    }
    return results;
  }

  private void waitForLock(List<SideLanes.Waiting> requests) {
    inPortions(
        requests,
        portion ->
            processOrFail(
                portion.stream().filter(request -> !uncounted.follow(request)).toList(),
                WaitMode.FOR_LOCKS));
  }

  private void countAndAssign(List<SideLanes.Waiting> requests) {
    inPortions(
        requests,
        portion -> {
          observer.batch(portion.size());
          List<AssignRequest> batch = portion.stream().map(SideLanes.Waiting::request).toList();
          List<Assignment> results = ledger.assign(batch);
          forgetStaleConfigs(batch, results);
          for (int i = 0; i < portion.size(); i++) {
            complete(portion.get(i), results.get(i));
          }
        });
  }

  private void inPortions(
      List<SideLanes.Waiting> requests, Consumer<List<SideLanes.Waiting>> work) {
    List<SideLanes.Waiting> rest = requests;
    while (!rest.isEmpty()) {
      int fitting = ledger.batchSize(rest.stream().map(SideLanes.Waiting::request).toList());
      work.accept(rest.subList(0, fitting));
      rest = rest.subList(fitting, rest.size());
    }
  }

  /**
   * Processes requests, and fails them if that fails. Those that moved to another lane before are
   * not affected: they have yet to be processed, and may succeed.
   */
  private void processOrFail(List<SideLanes.Waiting> here, WaitMode waitMode) {
    try {
      process(here, waitMode);
    } catch (RuntimeException e) {
      here.forEach(waiting -> waiting.result().completeExceptionally(e));
    }
  }

  private void process(List<SideLanes.Waiting> requests, WaitMode waitMode) {
    if (!requests.isEmpty()) {
      List<? extends AssignReply> replies =
          attempt(requests.stream().map(SideLanes.Waiting::request).toList(), waitMode);
      for (int i = 0; i < requests.size(); i++) {
        complete(requests.get(i), replies.get(i));
      }
    }
  }

  private void complete(SideLanes.Waiting waiting, AssignReply reply) {
    switch (reply) {
      case Assignment assignment -> waiting.result().complete(assignment);
      case AssignReply.Deferred.LOCKED -> locked.open(waiting);
      case AssignReply.Deferred.UNCOUNTED -> uncounted.open(waiting);
    }
  }

  private List<? extends AssignReply> attempt(List<AssignRequest> requests, WaitMode waitMode) {
    observer.batch(requests.size());
    List<? extends AssignReply> replies = ledger.attempt(requests, waitMode);
    forgetStaleConfigs(requests, replies);
    return replies;
  }

  private void forgetStaleConfigs(
      List<AssignRequest> requests, List<? extends AssignReply> replies) {
    for (int i = 0; i < replies.size(); i++) {
      SlotConfig assumed = requests.get(i).config();
      if (replies.get(i) instanceof Assignment.Assigned assigned
          && assigned.slot().configVersion() > assumed.version()) {
        configs.forget(assumed.name());
      }
    }
  }
}
