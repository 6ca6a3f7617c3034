package dev.weir.engine.slots;

import dev.weir.engine.Batcher;
import dev.weir.engine.StoreException;
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
 * Gathers concurrent requests for slots and takes them to the ledger in batches. Thread-safe;
 * callers block and are meant to be virtual threads.
 */
final class AssignmentBatcher {
  private final SlotLedger ledger;
  private final ConfigCache configs;
  private final SlotObserver observer;

  /** Configurations share a lane, so that a transaction can serve several of them. */
  private final List<Batcher<AssignRequest, CompletableFuture<Assignment>>> lanes;

  /** For configurations that another transaction holds. */
  private final SideLanes locked;

  /** For times of which the windows have yet to be counted. */
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
   * Gives requests their turn and does not wait: each event gets its slot after the events of the
   * same configuration that were submitted before. What fails is thrown by {@link
   * SlotScheduler.Pending#await}.
   */
  SlotScheduler.Pending submit(List<SlotRequest> requests) {
    long begin = System.nanoTime();
    try {
      Supplier<List<Assignment>> answers = enqueue(requests);
      return () -> await(answers, begin);
    } catch (RuntimeException e) {
      return () ->
          await(
              () -> {
                throw e;
              },
              begin);
    }
  }

  private List<Assignment> await(Supplier<List<Assignment>> pending, long begin) {
    try {
      List<Assignment> answers = pending.get();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      for (Assignment answer : answers) {
        observer.answered(answer, took);
      }
      return answers;
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
    Assignment[] answers = new Assignment[requests.size()];
    List<InLane> inLanes = new ArrayList<>(lanes.size());
    for (int lane = 0; lane < lanes.size(); lane++) {
      List<AssignRequest> demands = new ArrayList<>(requests.size());
      List<Integer> positions = new ArrayList<>(requests.size());
      for (int i = 0; i < answers.length; i++) {
        SlotRequest request = requests.get(i);
        Optional<SlotConfig> config = found.getOrDefault(request.configName(), Optional.empty());
        if (config.isEmpty()) {
          answers[i] = new Assignment.UnknownConfig(request);
        } else if (laneOf(request) == lane) {
          demands.add(new AssignRequest(request, config.get()));
          positions.add(i);
        }
      }
      if (!demands.isEmpty()) {
        inLanes.add(new InLane(enqueue(lanes.get(lane), demands), positions));
      }
    }
    // Of several lanes, one may have done its part when another fails.
    return inLanes.size() > 1
        ? () -> StoreException.afterDone(() -> gather(inLanes, answers))
        : () -> gather(inLanes, answers);
  }

  /** A lane that takes no more fails when it is waited for, like one that fails later. */
  private static Batcher.Pending<CompletableFuture<Assignment>> enqueue(
      Batcher<AssignRequest, CompletableFuture<Assignment>> lane, List<AssignRequest> demands) {
    try {
      return lane.enqueue(demands);
    } catch (StoreException e) {
      return () -> {
        throw e;
      };
    }
  }

  /** Waits for all lanes, whatever fails: a lane counts on those that entered it. */
  private static List<Assignment> gather(List<InLane> inLanes, Assignment[] answers) {
    Optional<RuntimeException> failure = Optional.empty();
    for (InLane inLane : inLanes) {
      try {
        gather(inLane, answers);
      } catch (RuntimeException e) {
        failure = Optional.of(failure.orElse(e));
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    return List.of(answers);
  }

  private static void gather(InLane inLane, Assignment[] answers) {
    List<CompletableFuture<Assignment>> given = inLane.pending().await();
    for (int i = 0; i < given.size(); i++) {
      CompletableFuture<Assignment> answer = given.get(i);
      // Of several demands, one may have gone aside and failed when others were done.
      answers[inLane.positions().get(i)] =
          given.size() > 1 ? StoreException.afterDone(() -> await(answer)) : await(answer);
    }
  }

  /** Demands in a lane, and which requests they are. */
  private record InLane(
      Batcher.Pending<CompletableFuture<Assignment>> pending, List<Integer> positions) {}

  private static Assignment await(CompletableFuture<Assignment> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      throw StoreException.shared(e.getCause() instanceof RuntimeException cause ? cause : e);
    }
  }

  private int laneOf(SlotRequest request) {
    return Math.floorMod(request.configName().hashCode(), lanes.size());
  }

  /**
   * Answers what needs no waiting. What does is sent to a lane of its configuration, and so is what
   * comes after it: demands go from this lane to {@link #locked} to {@link #uncounted}, and pass
   * none that went there before them.
   */
  private List<CompletableFuture<Assignment>> assignBatch(List<AssignRequest> demands) {
    int fitting = ledger.fitting(demands);
    if (fitting == demands.size()) {
      return assignTogether(demands);
    }
    List<CompletableFuture<Assignment>> answers = new ArrayList<>(demands.size());
    for (int from = 0; from < demands.size(); from += fitting) {
      List<AssignRequest> rest = demands.subList(from, demands.size());
      fitting = ledger.fitting(rest);
      List<AssignRequest> portion = rest.subList(0, fitting);
      try {
        answers.addAll(assignTogether(portion));
      } catch (RuntimeException e) {
        // Those before have been answered.
        portion.forEach(demand -> answers.add(CompletableFuture.failedFuture(e)));
      }
    }
    return answers;
  }

  private List<CompletableFuture<Assignment>> assignTogether(List<AssignRequest> demands) {
    boolean noneAside = !locked.isAnyOpen() && !uncounted.isAnyOpen();
    List<CompletableFuture<Assignment>> answers = new ArrayList<>(demands.size());
    List<SideLanes.Waiting> here = new ArrayList<>(noneAside ? 0 : demands.size());
    if (!noneAside) {
      for (AssignRequest demand : demands) {
        SideLanes.Waiting waiting = SideLanes.Waiting.of(demand);
        answers.add(waiting.answer());
        if (!locked.follow(waiting) && !uncounted.follow(waiting)) {
          here.add(waiting);
        }
      }
      try {
        answer(here, WaitMode.NONE);
      } catch (RuntimeException e) {
        // Those that went aside are not concerned.
        here.forEach(waiting -> waiting.answer().completeExceptionally(e));
      }
      return answers;
    }
    List<? extends AssignReply> replies = attempt(demands, WaitMode.NONE);
    for (int i = 0; i < replies.size(); i++) {
      if (replies.get(i) instanceof Assignment answer) {
        answers.add(CompletableFuture.completedFuture(answer));
      } else {
        SideLanes.Waiting waiting = SideLanes.Waiting.of(demands.get(i));
        answers.add(waiting.answer());
        complete(waiting, replies.get(i));
      }
    }
    return answers;
  }

  private void waitForLock(List<SideLanes.Waiting> demands) {
    inPortions(
        demands,
        portion ->
            answer(
                portion.stream().filter(demand -> !uncounted.follow(demand)).toList(),
                WaitMode.FOR_LOCKS));
  }

  private void countAndAssign(List<SideLanes.Waiting> demands) {
    inPortions(
        demands,
        portion -> {
          observer.batch(portion.size());
          List<AssignRequest> asked = portion.stream().map(SideLanes.Waiting::demand).toList();
          List<Assignment> answers = ledger.assign(asked);
          forgetStaleConfigs(asked, answers);
          for (int i = 0; i < portion.size(); i++) {
            complete(portion.get(i), answers.get(i));
          }
        });
  }

  private void inPortions(List<SideLanes.Waiting> demands, Consumer<List<SideLanes.Waiting>> work) {
    List<SideLanes.Waiting> rest = demands;
    while (!rest.isEmpty()) {
      int fitting = ledger.fitting(rest.stream().map(SideLanes.Waiting::demand).toList());
      work.accept(rest.subList(0, fitting));
      rest = rest.subList(fitting, rest.size());
    }
  }

  private void answer(List<SideLanes.Waiting> demands, WaitMode patience) {
    if (!demands.isEmpty()) {
      List<? extends AssignReply> replies =
          attempt(demands.stream().map(SideLanes.Waiting::demand).toList(), patience);
      for (int i = 0; i < demands.size(); i++) {
        complete(demands.get(i), replies.get(i));
      }
    }
  }

  private void complete(SideLanes.Waiting demand, AssignReply reply) {
    switch (reply) {
      case Assignment answer -> demand.answer().complete(answer);
      case AssignReply.Deferred.LOCKED -> locked.open(demand);
      case AssignReply.Deferred.UNCOUNTED -> uncounted.open(demand);
    }
  }

  private List<? extends AssignReply> attempt(List<AssignRequest> demands, WaitMode patience) {
    observer.batch(demands.size());
    List<? extends AssignReply> replies = ledger.attempt(demands, patience);
    forgetStaleConfigs(demands, replies);
    return replies;
  }

  private void forgetStaleConfigs(
      List<AssignRequest> demands, List<? extends AssignReply> replies) {
    for (int i = 0; i < replies.size(); i++) {
      SlotConfig believed = demands.get(i).config();
      if (replies.get(i) instanceof Assignment.Assigned assigned
          && assigned.slot().configVersion() > believed.version()) {
        configs.forget(believed.name());
      }
    }
  }
}
