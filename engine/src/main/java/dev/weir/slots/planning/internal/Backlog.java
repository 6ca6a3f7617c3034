package dev.weir.slots.planning.internal;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Spread;
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
 * delay demands, which is the earliest time that is possible. An event of the first one may have
 * been requested at any time of it.
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
    private TimeSpan allowed(SlotPolicy policy) {
      TimeSpan one = new PlacementRequest(fromMicros, fromMicros).allowed(policy);
      return new TimeSpan(one.fromMicros(), Math.max(one.untilMicros(), lastMicros + 1));
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
    long inFirst = 0;
    long afterFull = TimeSpan.NEVER;
    for (Load load : loads) {
      int capacity = WindowCapacity.of(policy, load.startMicros());
      if (!follows(policy, afterFull, load) || isTooLate(policy, open, load, capacity)) {
        addTo(demands, policy, open, inFirst);
        open = Demand.during(policy, load.startMicros(), 0);
        inFirst = load.events();
      }
      open = Demand.during(policy, open.fromMicros(), open.events() + load.events());
      afterFull =
          load.events() >= capacity ? load.startMicros() + policy.windowMicros() : TimeSpan.NEVER;
    }
    addTo(demands, policy, open, inFirst);
    return demands;
  }

  /**
   * Tells whether no window from {@code fromMicros} on and before that of a load has a place. One
   * in which opening hours begin or end may have none, although it is open.
   */
  private static boolean follows(SlotPolicy policy, long fromMicros, Load load) {
    if (fromMicros > load.startMicros()) {
      return false;
    }
    long start = PolicyTimes.nextOpenWindow(policy, fromMicros);
    for (int withoutPlace = 0;
        start < load.startMicros()
            && withoutPlace < Planner.MAX_WINDOWS_WITHOUT_PLACE
            && WindowCapacity.of(policy, start) == 0;
        withoutPlace++) {
      start = PolicyTimes.nextOpenWindow(policy, start + policy.windowMicros());
    }
    return start == load.startMicros();
  }

  /** Adds the events of adjacent windows; those behind the first one have the earlier deadline. */
  private static void addTo(
      List<Demand> demands, SlotPolicy policy, Demand adjacent, long inFirst) {
    if (adjacent.events() > inFirst) {
      demands.add(new Demand(adjacent.fromMicros(), adjacent.events() - inFirst));
    }
    if (inFirst > 0) {
      demands.add(Demand.during(policy, adjacent.fromMicros(), inFirst));
    }
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
    Replay replay = new Replay(policy, List.of(), untilMicros, fills);
    demands.forEach(replay::place);
    return replay.finish();
  }

  /**
   * Calculates in which windows further events would run beside those that are placed, which stay
   * where they are, even if there are more of them than the limit. It knows how many places of a
   * window they take, but not which: if the maximum delay of the further events ends within a
   * window, those placed in it are taken to lie before that end.
   *
   * @param placed windows with events, in the order of time
   * @param untilMicros the end of the forecast, which bounds its cost
   * @param fills receives the windows of all events
   */
  public static Outcome add(
      SlotPolicy policy, List<Load> placed, Demand more, long untilMicros, Fills fills) {
    Replay replay = new Replay(policy, placed, untilMicros, fills);
    replay.place(more);
    return replay.finish();
  }

  /**
   * Fills windows in the order of time. All windows between the time of the latest demand and the
   * current window are full, so no earlier one has to be looked at again. Events that are placed
   * already are met on the way.
   */
  private static final class Replay {
    private final SlotPolicy policy;
    private final long untilMicros;
    private final Fills fills;
    private final List<Load> placed;

    /** The number of windows with placed events that were met. */
    private int met;

    /** The start of the current window, which is the last one that may have a free place. */
    private long start = Long.MIN_VALUE;

    private long taken;
    private long end = Outcome.NOTHING;
    private long unplaced;

    Replay(SlotPolicy policy, List<Load> placed, long untilMicros, Fills fills) {
      this.policy = policy;
      this.placed = placed;
      this.untilMicros = untilMicros;
      this.fills = fills;
    }

    void place(Demand demand) {
      TimeSpan within = demand.allowed(policy);
      TimeSpan allowed =
          new TimeSpan(within.fromMicros(), Math.min(within.untilMicros(), untilMicros));
      long left = demand.events();
      int withoutPlaces = 0;
      moveTo(Math.max(start, PolicyTimes.nextOpenWindow(policy, allowed.fromMicros())));
      while (left > 0
          && start < allowed.untilMicros()
          && withoutPlaces < Planner.MAX_WINDOWS_WITHOUT_PLACE) {
        long whole =
            taken == 0
                ? Math.min(
                    Math.min(WindowCapacity.wholeWindows(policy, start, allowed), emptyWindows()),
                    left / policy.maxPerWindow())
                : 0;
        if (whole > 0) {
          add(new Fill(start, whole, policy.maxPerWindow()));
          left -= whole * policy.maxPerWindow();
          enter(PolicyTimes.nextOpenWindow(policy, start + whole * policy.windowMicros()));
          continue;
        }
        long places = WindowCapacity.within(policy, start, allowed);
        long free = available(allowed, places);
        long more = Math.min(free, left);
        taken += more;
        left -= more;
        withoutPlaces = places == 0 ? withoutPlaces + 1 : 0;
        long next = PolicyTimes.nextOpenWindow(policy, start + policy.windowMicros());
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
    private long available(TimeSpan allowed, long places) {
      // What is in the window has no later deadline, but may lie before these events may run.
      boolean liesBefore =
          allowed.fromMicros() > Math.max(start, PolicyTimes.pausedUntilMicros(policy));
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
        enter(next);
      }
    }

    /** Makes a window the current one, with the events that are placed in it. */
    private void enter(long next) {
      for (; met < placed.size() && placed.get(met).startMicros() < next; met++) {
        add(new Fill(placed.get(met).startMicros(), 1, placed.get(met).events()));
      }
      start = next;
      taken = 0;
      for (; met < placed.size() && startsInCurrent(placed.get(met)); met++) {
        taken += placed.get(met).events();
      }
    }

    private boolean startsInCurrent(Load load) {
      return load.startMicros() - start < policy.windowMicros();
    }

    /** Returns how many windows from the current one on have no event that is placed already. */
    private long emptyWindows() {
      return met < placed.size()
          ? (placed.get(met).startMicros() - start) / policy.windowMicros()
          : Long.MAX_VALUE;
    }

    private void add(Fill fill) {
      fills.add(fill);
      end = fill.startMicros() + fill.windows() * policy.windowMicros();
    }

    Outcome finish() {
      moveTo(TimeSpan.NEVER);
      return new Outcome(end, unplaced);
    }
  }
}
