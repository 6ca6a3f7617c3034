package dev.weir.core.slots;

import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;

/** A planner on a picture, kept in one of the ways in which a ledger may keep it. */
interface Subject {
  Placement place(PlacementRequest wish);

  /** Gives a place of {@code window}, which is as it is now, back. */
  void release(Window window, int place);

  /** Starts anew under other terms with these windows. */
  void change(SlotPolicy terms, Collection<Window> windows);

  /** What has been written, all of it. */
  StoredBook stored();

  /** A picture that knows everything from the beginning. */
  final class Complete implements Subject {
    private final RandomGenerator random;
    private final StoredBook stored = new StoredBook();
    private OccupancyView picture;

    Complete(SlotPolicy terms, RandomGenerator random) {
      this.random = random;
      this.picture = OccupancyView.empty(terms);
    }

    OccupancyView picture() {
      return picture;
    }

    @Override
    public Placement place(PlacementRequest wish) {
      return Planner.place(picture, wish, random);
    }

    @Override
    public void release(Window window, int place) {
      picture.release(window, place);
    }

    @Override
    public void change(SlotPolicy terms, Collection<Window> windows) {
      picture = OccupancyView.empty(terms);
      stored.forgetRuns();
      windows.forEach(picture::put);
    }

    @Override
    public StoredBook stored() {
      stored.apply(picture.drainChanges());
      return stored;
    }
  }

  /** A picture that reads small pages when it must, and is thrown away now and then. */
  final class Paged implements Subject {
    private final RandomGenerator random;
    private final long barrierMicros;
    private final StoredBook stored = new StoredBook();
    private OccupancyView picture;

    Paged(SlotPolicy terms, long barrierMicros, RandomGenerator random) {
      this.random = random;
      this.barrierMicros = barrierMicros;
      this.picture = new OccupancyView(terms, barrierMicros);
    }

    @Override
    public Placement place(PlacementRequest wish) {
      writeNowAndThen();
      Placement placement = Planner.place(picture, wish, random);
      while (placement instanceof Placement.Unknown unknown) {
        addPage(unknown.fromMicros());
        placement = Planner.place(picture, wish, random);
      }
      return placement;
    }

    Forecast.Outcome step(Forecast forecast) {
      Forecast.Outcome outcome = forecast.step(picture);
      while (outcome instanceof Forecast.Outcome.Unknown unknown) {
        addPage(unknown.fromMicros());
        outcome = forecast.step(picture);
      }
      return outcome;
    }

    /** Pages may begin before what is asked for, and lap over what is known. */
    private void addPage(long fromMicros) {
      SlotPolicy terms = picture.terms();
      int before = random.nextInt(3);
      long from = fromMicros - before * terms.windowMicros();
      picture.add(stored.page(terms, from, before + 1 + random.nextInt(3)));
    }

    @Override
    public void release(Window window, int place) {
      writeNowAndThen();
      // Only what is known can be given back.
      addPage(window.startMicros());
      picture.release(window, place);
    }

    @Override
    public void change(SlotPolicy terms, Collection<Window> windows) {
      OccupancyView rebuilt = new OccupancyView(terms, barrierMicros);
      rebuilt.add(Page.allFrom(Long.MIN_VALUE, List.of(), List.of()));
      windows.forEach(rebuilt::put);
      stored.apply(picture.drainChanges());
      stored.forgetRuns();
      stored.apply(rebuilt.drainChanges());
      picture = new OccupancyView(terms, barrierMicros);
    }

    @Override
    public StoredBook stored() {
      stored.apply(picture.drainChanges());
      return stored;
    }

    private void writeNowAndThen() {
      if (random.nextInt(4) == 0) {
        stored.apply(picture.drainChanges());
        if (random.nextBoolean()) {
          picture = new OccupancyView(picture.terms(), barrierMicros);
        }
      }
    }
  }
}
