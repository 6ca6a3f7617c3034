package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Groups events, in the order of time, into the windows of a policy and {@linkplain CarriedEvents
 * carries them over} one window at a time, so that any number of events needs little memory. Not
 * thread-safe.
 */
public final class Regrouping {
  private final SlotPolicy policy;
  private final Consumer<Window> windows;
  private final List<CarriedEvents.Event> events = new ArrayList<>();
  private long startMicros = Long.MIN_VALUE;

  public Regrouping(SlotPolicy policy, Consumer<Window> windows) {
    this.policy = policy;
    this.windows = windows;
  }

  /**
   * Adds the next event.
   *
   * @param place negative if it has none, because it was adopted with its time
   * @param windowMicros the size of the window in which its place was assigned
   */
  public void add(long scheduledMicros, int place, long windowMicros) {
    long start = policy.windowStart(scheduledMicros);
    if (start != startMicros) {
      finish();
      startMicros = start;
    }
    events.add(
        place >= 0 && windowMicros == policy.windowMicros()
            ? new CarriedEvents.Event.Placed(place)
            : new CarriedEvents.Event.OffGrid(scheduledMicros));
  }

  /** Passes on the last window. */
  public void finish() {
    if (!events.isEmpty()) {
      windows.accept(CarriedEvents.window(policy, startMicros, events));
      events.clear();
    }
  }
}
