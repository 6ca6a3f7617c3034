package dev.weir.core.slots;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Events in the order of time, gathered into the windows of given terms and {@linkplain CarryOver
 * carried over} a window at a time, so that any number of them passes through little memory.
 */
public final class Regrouping {
  private final SlotPolicy terms;
  private final Consumer<Window> windows;
  private final List<CarryOver.Event> events = new ArrayList<>();
  private long startMicros = Long.MIN_VALUE;

  public Regrouping(SlotPolicy terms, Consumer<Window> windows) {
    this.terms = terms;
    this.windows = windows;
  }

  /**
   * Adds the next event.
   *
   * @param windowMicros the size of the window in which it was given its place
   */
  public void add(long scheduledMicros, int place, long windowMicros) {
    long start = terms.windowStart(scheduledMicros);
    if (start != startMicros) {
      finish();
      startMicros = start;
    }
    events.add(
        windowMicros == terms.windowMicros()
            ? new CarryOver.Event.Placed(place)
            : new CarryOver.Event.Lying(scheduledMicros));
  }

  /** Hands over the last window. */
  public void finish() {
    if (!events.isEmpty()) {
      windows.accept(CarryOver.window(terms, startMicros, events));
      events.clear();
    }
  }
}
