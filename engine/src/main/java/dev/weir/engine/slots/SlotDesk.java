package dev.weir.engine.slots;

import dev.weir.engine.Batcher;
import dev.weir.engine.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Where callers get slots: it gathers concurrent requests and takes them to the ledger together.
 * Thread-safe; callers block and are meant to be virtual threads.
 *
 * <pre>{@code
 * SlotDesk desk = new SlotDesk(ledger, configs, SlotDesk.Settings.DEFAULT, SlotObserver.NONE);
 * switch (desk.assign(SlotRequest.now("pay-123", "default"))) {
 *   case Assignment.Assigned assigned -> runAt(assigned.slot().scheduledTime());
 *   case Assignment.NoRoom noRoom -> tryAgainOrGiveUp(noRoom.waitingHelps(), noRoom.retryAfter());
 *   case Assignment.UnknownConfig unknown -> complain(unknown);
 * }
 * }</pre>
 */
public final class SlotDesk {
  private final SlotLedger ledger;
  private final ConfigCache configs;
  private final SlotObserver observer;

  /** Configurations share a lane, so that a transaction can serve several of them. */
  private final List<Batcher<Demand, Assignment>> lanes;

  /**
   * How requests are gathered.
   *
   * @param lanes how many batches may be under way at once; a configuration is always in the same
   * @param largestBatch how many demands go into one transaction
   * @param mostWaiting how many demands may wait in a lane
   */
  public record Settings(int lanes, int largestBatch, int mostWaiting) {
    public static final Settings DEFAULT = new Settings(1, 4_096, 200_000);

    public Settings {
      if (lanes < 1 || largestBatch < 1 || mostWaiting < largestBatch) {
        throw new IllegalArgumentException(
            "lanes %d and largestBatch %d must be at least 1, mostWaiting %d not below largestBatch"
                .formatted(lanes, largestBatch, mostWaiting));
      }
    }
  }

  public SlotDesk(
      SlotLedger ledger, ConfigCache configs, Settings settings, SlotObserver observer) {
    this.ledger = ledger;
    this.configs = configs;
    this.observer = observer;
    this.lanes =
        Stream.generate(
                () ->
                    new Batcher<>(
                        this::assignBatch, settings.largestBatch(), settings.mostWaiting()))
            .limit(settings.lanes())
            .toList();
  }

  /** Gives an event its slot. */
  public Assignment assign(SlotRequest request) {
    return assign(List.of(request)).getFirst();
  }

  /** Gives each event its slot, in order. */
  public List<Assignment> assign(List<SlotRequest> requests) {
    return submit(requests).await();
  }

  /** Requests that have their turn. */
  public interface Pending {
    /** Waits for the answers, one for each request. Must be called, by any one thread. */
    List<Assignment> await();
  }

  /**
   * Gives requests their turn and does not wait: each event gets its slot after the events of the
   * same configuration that were submitted before. What fails is thrown by {@link Pending#await}.
   */
  public Pending submit(List<SlotRequest> requests) {
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
      List<Demand> demands = new ArrayList<>(requests.size());
      List<Integer> positions = new ArrayList<>(requests.size());
      for (int i = 0; i < answers.length; i++) {
        SlotRequest request = requests.get(i);
        Optional<SlotConfig> config = found.getOrDefault(request.configName(), Optional.empty());
        if (config.isEmpty()) {
          answers[i] = new Assignment.UnknownConfig(request);
        } else if (laneOf(request) == lane) {
          demands.add(new Demand(request, config.get()));
          positions.add(i);
        }
      }
      if (!demands.isEmpty()) {
        Batcher<Demand, Assignment> batcher = lanes.get(lane);
        Batcher.Pending<Assignment> pending =
            inLanes.isEmpty()
                ? batcher.enqueue(demands)
                : StoreException.afterDone(() -> batcher.enqueue(demands));
        inLanes.add(new InLane(pending, positions));
      }
    }
    // Of several lanes, one may have done its part when another fails.
    return inLanes.size() > 1
        ? () -> StoreException.afterDone(() -> gather(inLanes, answers))
        : () -> gather(inLanes, answers);
  }

  private static List<Assignment> gather(List<InLane> inLanes, Assignment[] answers) {
    for (InLane inLane : inLanes) {
      List<Assignment> given = inLane.pending().await();
      for (int i = 0; i < given.size(); i++) {
        answers[inLane.positions().get(i)] = given.get(i);
      }
    }
    return List.of(answers);
  }

  /** Demands in a lane, and which requests they are. */
  private record InLane(Batcher.Pending<Assignment> pending, List<Integer> positions) {}

  private int laneOf(SlotRequest request) {
    return Math.floorMod(request.configName().hashCode(), lanes.size());
  }

  private List<Assignment> assignBatch(List<Demand> demands) {
    observer.batch(demands.size());
    List<Assignment> answers = ledger.assign(demands);
    for (int i = 0; i < answers.size(); i++) {
      SlotConfig believed = demands.get(i).config();
      if (answers.get(i) instanceof Assignment.Assigned assigned
          && assigned.slot().configVersion() > believed.version()) {
        configs.forget(believed.name());
      }
    }
    return answers;
  }

  /** When further events would be through; empty if there is no such configuration. */
  public Optional<Outlook> forecast(String configName, Instant from, long events) {
    return configs.find(configName).map(config -> ledger.forecast(config, from, events));
  }
}
