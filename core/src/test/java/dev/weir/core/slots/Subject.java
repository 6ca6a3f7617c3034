package dev.weir.core.slots;

import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/** A planner on a picture, kept in one of the ways in which a ledger may keep it. */
interface Subject {
  Placement place(PlacementRequest request);

  /** Gives a place of {@code window}, which is as it is now, back. */
  void release(Window window, int place);

  /** Starts anew under other terms with these windows. */
  void change(SlotPolicy policy, Collection<Window> windows);

  /** What has been written, all of it. */
  StoredBook stored();

  /** A picture that knows everything from the beginning. */
  final class Complete implements Subject {
    private final RandomGenerator random;
    private final StoredBook stored = new StoredBook();
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
    public StoredBook stored() {
      stored.apply(view.drainChanges());
      return stored;
    }
  }

  /** A picture that reads small pages when it must, and is thrown away now and then. */
  final class Paged implements Subject {
    private final RandomGenerator random;
    private final long barrierMicros;
    private final StoredBook stored = new StoredBook();
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

    /** Pages may begin before what is asked for, and lap over what is known. */
    private void addPage(long fromMicros) {
      SlotPolicy policy = view.policy();
      int before = random.nextInt(3);
      long from = fromMicros - before * policy.windowMicros();
      view.add(stored.page(policy, from, before + 1 + random.nextInt(3)));
    }

    @Override
    public void release(Window window, int place) {
      writeNowAndThen();
      // Only what is known can be given back.
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
    public StoredBook stored() {
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
