package dev.weir.core.slots.internal;

import dev.weir.core.slots.Calendar;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.core.slots.Spread;
import java.util.ArrayList;
import java.util.List;

/**
 * Forecasts how the events that are scheduled under one policy would lie under another, as if they
 * were requested again. Counts events instead of placing them, so the cost depends on the number of
 * windows in use, and on the open spans that the events would need, not on the number of events.
 *
 * <p>What is in a window does not say when it was requested. An event behind a window with a free
 * place was requested for its own window, or it would be in that one. An event behind full windows
 * is taken to have been requested when the first of them began, or as much later as the maximum
 * delay demands, which is the earliest time that is possible.
 */
public final class Backlog {
  private Backlog() {}

  /** The number of events in a window. */
  public record Load(long startMicros, long events) {}

  /**
   * Events that may run from a time on.
   *
   * @param lastMicros the time of the last request: up to then an event may run, whatever the
   *     maximum delay
   */
  public record Demand(long fromMicros, long lastMicros, long events) {
    /** Events that are requested at one time. */
    public Demand(long fromMicros, long events) {
      this(fromMicros, fromMicros, events);
    }

    /** Events that are requested at any time of a window. */
    static Demand during(SlotPolicy policy, long startMicros, long events) {
      return new Demand(startMicros, startMicros + policy.windowMicros() - 1, events);
    }

    /** Returns the span within which the events may run. */
    private Calendar.Span allowed(SlotPolicy policy) {
      Calendar.Span one = new PlacementRequest(fromMicros, fromMicros).allowed(policy);
      return new Calendar.Span(one.fromMicros(), Math.max(one.untilMicros(), lastMicros + 1));
    }
  }

  /** Adjacent windows with the same number of events. */
  public record Fill(long startMicros, long windows, long perWindow) {}

  /** Receives windows with events, in the order of time. */
  @FunctionalInterface
  public interface Fills {
    void add(Fill fill);
  }

  /**
   * The end of a forecast.
   *
   * @param endMicros the end of the last window with events; {@link #NOTHING} if there is none
   * @param unplaced events that would find no place within the maximum delay or before the end of
   *     the forecast
   */
  public record Outcome(long endMicros, long unplaced) {
    public static final long NOTHING = Long.MIN_VALUE;
  }

  /**
   * Returns when the events of these windows were requested, the earliest first.
   *
   * @param policy the policy under which the events were placed
   * @param loads windows with events, in the order of time
   */
  public static List<Demand> demands(SlotPolicy policy, List<Load> loads) {
    List<Demand> demands = new ArrayList<>();
    Demand open = Demand.during(policy, 0, 0);
    long afterFull = Calendar.NEVER;
    for (Load load : loads) {
      int capacity = WindowCapacity.of(policy, load.startMicros());
      if (load.startMicros() != afterFull || isTooLate(policy, open, load, capacity)) {
        if (open.events() > 0) {
          demands.add(open);
        }
        open = Demand.during(policy, load.startMicros(), 0);
      }
      open = Demand.during(policy, open.fromMicros(), open.events() + load.events());
      afterFull =
          load.events() >= capacity
              ? policy.nextOpenWindow(load.startMicros() + policy.windowMicros())
              : Calendar.NEVER;
    }
    if (open.events() > 0) {
      demands.add(open);
    }
    return demands;
  }

  /** Tells whether the maximum delay keeps events of a demand out of a window. */
  private static boolean isTooLate(SlotPolicy policy, Demand demand, Load load, int capacity) {
    int places = WindowCapacity.within(policy, load.startMicros(), demand.allowed(policy));
    return places < Math.min(load.events(), capacity);
  }

  /**
   * Calculates in which windows events would run that nothing else competes with.
   *
   * @param demands the events, the earliest first
   * @param untilMicros the end of the forecast, which bounds its cost
   * @param fills receives the windows
   */
  public static Outcome replay(
      SlotPolicy policy, List<Demand> demands, long untilMicros, Fills fills) {
    Replay replay = new Replay(policy, untilMicros, fills);
    demands.forEach(replay::place);
    return replay.finish();
  }

  /**
   * Fills windows in the order of time. All windows between the time of the latest demand and the
   * current window are full, so no earlier one has to be looked at again.
   */
  private static final class Replay {
    private final SlotPolicy policy;
    private final long untilMicros;
    private final Fills fills;

    /** The start of the current window, which is the last one that may have a free place. */
    private long start = Long.MIN_VALUE;

    private long taken;
    private long end = Outcome.NOTHING;
    private long unplaced;

    Replay(SlotPolicy policy, long untilMicros, Fills fills) {
      this.policy = policy;
      this.untilMicros = untilMicros;
      this.fills = fills;
    }

    void place(Demand demand) {
      Calendar.Span within = demand.allowed(policy);
      Calendar.Span allowed =
          new Calendar.Span(within.fromMicros(), Math.min(within.untilMicros(), untilMicros));
      long left = demand.events();
      int withoutPlaces = 0;
      moveTo(Math.max(start, policy.nextOpenWindow(allowed.fromMicros())));
      while (left > 0
          && start < allowed.untilMicros()
          && withoutPlaces < Planner.MAX_WINDOWS_WITHOUT_PLACE) {
        long whole =
            taken == 0
                ? Math.min(
                    WindowCapacity.wholeWindows(policy, start, allowed),
                    left / policy.maxPerWindow())
                : 0;
        if (whole > 0) {
          add(new Fill(start, whole, policy.maxPerWindow()));
          left -= whole * policy.maxPerWindow();
          start = policy.nextOpenWindow(start + whole * policy.windowMicros());
          continue;
        }
        long free = available(allowed);
        long more = Math.min(free, left);
        taken += more;
        left -= more;
        withoutPlaces = free == 0 ? withoutPlaces + 1 : 0;
        long next = policy.nextOpenWindow(start + policy.windowMicros());
        if (left > 0 && next >= allowed.untilMicros()) {
          // The rest of this window is too late for these events, but not for those after them.
          break;
        }
        if (left > 0) {
          moveTo(next);
        }
      }
      unplaced += left;
    }

    /** Returns how many more events fit into the current window. */
    private long available(Calendar.Span allowed) {
      long places = WindowCapacity.within(policy, start, allowed);
      // What is in the window has no later deadline, but may lie before these events may run.
      boolean liesBefore = allowed.fromMicros() > Math.max(start, policy.pausedUntilMicros());
      // Under RANDOM the planner does not ask where it lies.
      return liesBefore && policy.spread() == Spread.EVEN
          ? Math.clamp(WindowCapacity.of(policy, start) - taken, 0, places)
          : Math.max(0, places - taken);
    }

    private void moveTo(long next) {
      if (next != start) {
        if (taken > 0) {
          add(new Fill(start, 1, taken));
        }
        start = next;
        taken = 0;
      }
    }

    private void add(Fill fill) {
      fills.add(fill);
      end = fill.startMicros() + fill.windows() * policy.windowMicros();
    }

    Outcome finish() {
      moveTo(Calendar.NEVER);
      return new Outcome(end, unplaced);
    }
  }
}
