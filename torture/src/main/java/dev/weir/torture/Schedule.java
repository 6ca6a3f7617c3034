package dev.weir.torture;

import dev.weir.torture.faults.Fault;
import dev.weir.torture.history.FaultNote;
import dev.weir.torture.history.History;
import dev.weir.torture.history.Loss;
import dev.weir.torture.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The faults of a round: all of them, one after the other, and again. A seed decides in which
 * order, on which process and for how long; when the next begins also depends on how long the last
 * took.
 */
final class Schedule {
  private static final int MIN_GAP_MILLIS = 300;
  private static final int MAX_GAP_MILLIS = 3_000;

  /** In one of so many rounds counts are lost, which some promises are excused by. */
  private static final int ROUNDS_BETWEEN_LOSSES = 3;

  private final Stage stage;
  private final History history;
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> lanes = new ArrayList<>();
  private volatile boolean isEnding;

  /** Whether all kinds of faults of a lane come at least once. */
  private final boolean isComplete;

  private Schedule(Stage stage, History history, boolean isComplete) {
    this.stage = stage;
    this.history = history;
    this.isComplete = isComplete;
  }

  /** Begins to inflict faults. */
  static Schedule start(Stage stage, History history, Trouble trouble, long seed) {
    Schedule schedule = new Schedule(stage, history, trouble instanceof Trouble.Only);
    SplittableRandom random = new SplittableRandom(seed);
    // Several of Redis are there for the sake of their failovers.
    boolean withLosses =
        random.nextInt(stage.redisGroup().isPresent() ? 2 : ROUNDS_BETWEEN_LOSSES) == 0;
    List<Fault> chosen = chosen(stage, trouble, withLosses);
    for (Fault.Lane lane : Fault.Lane.values()) {
      List<Fault> faults = chosen.stream().filter(fault -> fault.lane() == lane).toList();
      SplittableRandom ofLane = random.split();
      if (!faults.isEmpty()) {
        schedule.lanes.add(Thread.ofVirtual().start(() -> schedule.run(faults, ofLane)));
      }
    }
    return schedule;
  }

  private static List<Fault> chosen(Stage stage, Trouble trouble, boolean withLosses) {
    return switch (trouble) {
      case Trouble.None none -> List.of();
      case Trouble.All all ->
          Fault.all("").stream()
              .filter(fault -> fault.isPossible(stage))
              .filter(
                  fault ->
                      withLosses
                          || fault.loss(stage) == Loss.NONE
                          || fault.loss(stage) == Loss.RESTORED)
              .toList();
      case Trouble.Only only -> {
        List<Fault> all = Fault.all(only.ways());
        for (String name : only.faults()) {
          if (all.stream().noneMatch(fault -> fault.name().equals(name))) {
            throw new IllegalArgumentException("there is no fault " + name);
          }
        }
        yield all.stream()
            .filter(fault -> only.faults().contains(fault.name()) && fault.isPossible(stage))
            .toList();
      }
    };
  }

  private void run(List<Fault> faults, SplittableRandom random) {
    boolean mayEnd = !isComplete;
    while (!(isEnding && mayEnd)) {
      List<Fault> turn = new ArrayList<>(faults);
      while (!turn.isEmpty() && !(isEnding && mayEnd)) {
        Fault.pause(random, MIN_GAP_MILLIS, MAX_GAP_MILLIS);
        Fault next = Fault.any(turn, random);
        turn.remove(next);
        // Each has a random of its own, so that what one draws does not change the next.
        inflict(next, random.split());
      }
      mayEnd = true;
    }
  }

  private void inflict(Fault fault, SplittableRandom random) {
    long beginNanos = System.nanoTime();
    try {
      String name = fault.inflict(stage, random);
      history.add(new FaultNote(name, beginNanos, System.nanoTime(), fault.loss(stage)));
    } catch (IOException | RuntimeException | AssertionError e) {
      failures.add(fault.name() + ": " + e);
    }
  }

  /** Ends the faults, waits for that, and returns what did not recover. */
  List<String> end(Duration bound) throws InterruptedException {
    isEnding = true;
    for (Thread lane : lanes) {
      if (!lane.join(bound)) {
        failures.add("a fault was not over after " + bound);
      }
    }
    return List.copyOf(failures);
  }
}
