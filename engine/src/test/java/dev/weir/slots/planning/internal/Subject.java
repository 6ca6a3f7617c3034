package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/** A planner on a view that is maintained in one of the ways a ledger may maintain it. */
interface Subject {
  Placement place(PlacementRequest request);

  /** Releases a place of {@code window}, which is up to date. */
  void release(Window window, int place);

  /** Starts again under another policy with these windows. */
  void change(SlotPolicy policy, Collection<Window> windows);

  /** Returns everything that has been written. */
  StoredWindows stored();

  /** A view that is complete from the beginning. */
  final class Complete implements Subject {
    private final RandomGenerator random;
    private final StoredWindows stored = new StoredWindows();
    private OccupancyView view;

    Complete(SlotPolicy policy, RandomGenerator random) {
      this.random = random;
      this.view = OccupancyView.empty(policy);
    }

    OccupancyView view() {
      return view;
    }

    @Override
    public Placement place(PlacementRequest request) {
      return Planner.place(view, request, random);
    }

    @Override
    public void release(Window window, int place) {
      view.release(window, place);
    }

    @Override
    public void change(SlotPolicy policy, Collection<Window> windows) {
      view = OccupancyView.empty(policy);
      stored.forgetRuns();
      windows.forEach(view::put);
    }

    @Override
    public StoredWindows stored() {
      stored.apply(view.drainChanges());
      return stored;
    }
  }

  /** A view that reads small pages on demand and is discarded from time to time. */
  final class Paged implements Subject {
    private final RandomGenerator random;
    private final long barrierMicros;
    private final StoredWindows stored = new StoredWindows();
    private OccupancyView view;

    Paged(SlotPolicy policy, long barrierMicros, RandomGenerator random) {
      this.random = random;
      this.barrierMicros = barrierMicros;
      this.view = new OccupancyView(policy, barrierMicros);
    }

    @Override
    public Placement place(PlacementRequest request) {
      writeNowAndThen();
      Placement placement = Planner.place(view, request, random);
      while (placement instanceof Placement.Unknown unknown) {
        addPage(unknown.fromMicros());
        placement = Planner.place(view, request, random);
      }
      return placement;
    }

    Forecast.Outcome step(Forecast forecast) {
      Forecast.Outcome outcome = forecast.step(view);
      while (outcome instanceof Forecast.Outcome.Unknown unknown) {
        addPage(unknown.fromMicros());
        outcome = forecast.step(view);
      }
      return outcome;
    }

    /** Pages may begin before the requested window and overlap known time. */
    private void addPage(long fromMicros) {
      SlotPolicy policy = view.policy();
      int before = random.nextInt(3);
      long from = fromMicros - before * policy.windowMicros();
      view.add(stored.page(policy, from, before + 1 + random.nextInt(3)));
    }

    @Override
    public void release(Window window, int place) {
      writeNowAndThen();
      // Only a place of a known window can be released.
      addPage(window.startMicros());
      view.release(window, place);
    }

    @Override
    public void change(SlotPolicy policy, Collection<Window> windows) {
      OccupancyView rebuilt = new OccupancyView(policy, barrierMicros);
      rebuilt.add(Page.allFrom(Long.MIN_VALUE, List.of(), List.of()));
      windows.forEach(rebuilt::put);
      stored.apply(view.drainChanges());
      stored.forgetRuns();
      stored.apply(rebuilt.drainChanges());
      view = new OccupancyView(policy, barrierMicros);
    }

    @Override
    public StoredWindows stored() {
      stored.apply(view.drainChanges());
      return stored;
    }

    private void writeNowAndThen() {
      if (random.nextInt(4) == 0) {
        stored.apply(view.drainChanges());
        if (random.nextBoolean()) {
          view = new OccupancyView(view.policy(), barrierMicros);
        }
      }
    }
  }
}
