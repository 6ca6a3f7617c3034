package dev.weir.server.slots;

import dev.weir.internal.Micros;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.WindowCount;
import dev.weir.slots.WindowQuery;
import dev.weir.slots.planning.internal.Backlog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The windows with events of a configuration in a span of time, up to a maximum number.
 *
 * @param completeUntilMicros the time up to which there are no others
 */
record WindowLoads(List<Backlog.Load> loads, long completeUntilMicros) {
  /** The max number of windows: ten pages of the store. */
  static final int MAX_WINDOWS = 100_000;

  /** Reads the windows that start in [from, until), page by page. */
  static WindowLoads read(
      SlotScheduler slots, SlotConfig config, long fromMicros, long untilMicros) {
    List<Backlog.Load> loads = new ArrayList<>();
    Instant until = Micros.instant(Math.min(untilMicros, Micros.LATEST));
    long from = fromMicros;
    while (loads.size() < MAX_WINDOWS && from < untilMicros) {
      List<WindowCount> page =
          slots.windows(
              WindowQuery.of(config)
                  .from(Micros.instant(from))
                  .until(until)
                  .limit(WindowQuery.MAX_PAGE));
      for (WindowCount window : page) {
        loads.add(new Backlog.Load(Micros.ceil(window.start()), window.taken()));
      }
      if (page.size() < WindowQuery.MAX_PAGE) {
        return new WindowLoads(loads, untilMicros);
      }
      from = loads.getLast().startMicros() + config.policy().windowMicros();
    }
    return new WindowLoads(loads, Math.min(from, untilMicros));
  }

  /** Returns true if there is a window with events that starts at a time or after it. */
  static boolean isAnyFrom(SlotScheduler slots, SlotConfig config, long fromMicros) {
    return fromMicros < Micros.LATEST
        && !slots
            .windows(WindowQuery.of(config).from(Micros.instant(fromMicros)).limit(1))
            .isEmpty();
  }

  boolean isCompleteUntil(long micros) {
    return completeUntilMicros >= micros;
  }

  long events() {
    return loads.stream().mapToLong(Backlog.Load::events).sum();
  }
}
