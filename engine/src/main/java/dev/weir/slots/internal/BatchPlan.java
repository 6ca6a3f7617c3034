package dev.weir.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.AssignReply;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Assignment;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotState;
import dev.weir.slots.WaitMode;
import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Placement;
import dev.weir.slots.planning.internal.PlacementRequest;
import dev.weir.slots.planning.internal.Planner;
import dev.weir.slots.planning.internal.PolicyTimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The plan that a ledger makes between locking and writing: the replies to a batch of requests and
 * the slots to write. Implemented once, so that ledgers cannot disagree.
 *
 * @param replies one for each request, in order
 * @param fresh the new slots
 * @param uncounted by configuration name, the first window that has to be counted for a request
 */
public record BatchPlan(List<AssignReply> replies, List<Slot> fresh, Map<String, Long> uncounted) {

  /**
   * Plans a batch.
   *
   * @param known the current or former slots of the events of this batch, by event id
   * @param windows the locked windows, by configuration name. With {@link WaitMode#NONE} a missing
   *     configuration is locked, otherwise it is unknown
   * @param waitMode with {@link WaitMode#FOR_ALL}, everything after a deferred request is deferred
   *     too
   */
  public static BatchPlan of(
      List<AssignRequest> requests,
      Map<String, Slot> known,
      Map<String, ? extends LockedWindows> windows,
      WaitMode waitMode,
      Instant now,
      RandomGenerator random) {
    Planning planning = new Planning(known, windows, waitMode, now, random);
    List<AssignReply> replies = new ArrayList<>(requests.size());
    for (AssignRequest request : requests) {
      replies.add(planning.reply(request.request()));
    }
    return new BatchPlan(replies, planning.fresh, planning.uncounted);
  }

  /** Returns the assignments of a plan that deferred nothing. */
  public List<Assignment> assignments() {
    return replies.stream().map(Assignment.class::cast).toList();
  }

  /** Returns true if a request gets no slot, not even later. */
  public boolean refusesAny() {
    return replies.stream()
        .anyMatch(
            reply ->
                switch (reply) {
                  case Assignment.Assigned assigned -> false;
                  case Assignment.NoCapacity noCapacity -> true;
                  case Assignment.UnknownConfig unknown -> true;
                  case AssignReply.Deferred deferred -> false;
                });
  }

  private static final class Planning {
    private final Map<String, Slot> known;
    private final Map<String, ? extends LockedWindows> windows;
    private final WaitMode waitMode;
    private final Instant now;
    private final long nowMicros;
    private final RandomGenerator random;
    private final List<Slot> fresh = new ArrayList<>();
    private final Map<String, Slot> freshById = new HashMap<>();
    private final Map<String, Long> uncounted = new HashMap<>();
    private final Set<String> deferredIds = new HashSet<>();

    Planning(
        Map<String, Slot> known,
        Map<String, ? extends LockedWindows> windows,
        WaitMode waitMode,
        Instant now,
        RandomGenerator random) {
      this.known = known;
      this.windows = windows;
      this.waitMode = waitMode;
      this.now = now;
      this.nowMicros = Micros.ceil(now);
      this.random = random;
    }

    AssignReply reply(SlotRequest request) {
      Slot before = freshById.get(request.eventId());
      if (before == null) {
        before = known.get(request.eventId());
      }
      if (before != null && before.state().holds()) {
        return new Assignment.Assigned(before, true, 0);
      }
      boolean follows = waitMode == WaitMode.FOR_ALL && !uncounted.isEmpty();
      // Of an event that is requested twice, the first request decides.
      if (follows || deferredIds.contains(request.eventId())) {
        return AssignReply.Deferred.UNCOUNTED;
      }
      LockedWindows configWindows = windows.get(request.configName());
      if (configWindows != null) {
        return place(request, configWindows);
      }
      return switch (waitMode) {
        case NONE -> AssignReply.Deferred.LOCKED;
        case FOR_LOCKS, FOR_ALL -> new Assignment.UnknownConfig(request);
      };
    }

    private AssignReply place(SlotRequest request, LockedWindows configWindows) {
      PlacementRequest placement =
          new PlacementRequest(request.requestedMicros(nowMicros), nowMicros);
      OccupancyView view = configWindows.view();
      boolean trimmed = false;
      while (true) {
        switch (Planner.place(view, placement, random)) {
          case Placement.Unknown unknown -> {
            if (!trimmed) {
              // Only once: the search starts again each time and needs the pages that it has read.
              configWindows.trim();
              trimmed = true;
            }
            Optional<Page> page = configWindows.page(unknown.fromMicros());
            if (page.isEmpty()) {
              uncounted.merge(configWindows.config().name(), unknown.fromMicros(), Math::min);
              deferredIds.add(request.eventId());
              return AssignReply.Deferred.UNCOUNTED;
            }
            view.add(page.get());
          }
          case Placement.Placed placed -> {
            return assigned(request, placement, configWindows.config(), placed);
          }
          case Placement.NoCapacity noCapacity -> {
            return refused(
                request, placement, configWindows.config().policy(), noCapacity.freeMicros());
          }
        }
      }
    }

    private Assignment assigned(
        SlotRequest request,
        PlacementRequest placement,
        SlotConfig config,
        Placement.Placed placed) {
      Slot slot =
          new Slot(
              request.eventId(),
              config.name(),
              config.version(),
              Micros.instant(placement.requestedMicros()),
              Micros.instant(placed.windowStartMicros()),
              placed.place(),
              Micros.instant(placed.scheduledMicros()),
              SlotState.ASSIGNED,
              now);
      fresh.add(slot);
      freshById.put(slot.eventId(), slot);
      return new Assignment.Assigned(slot, false, placed.lookahead());
    }

    /**
     * Returns the result for a request without a free place. Waiting helps if the maximum delay
     * counts from now, because it then reaches further as time passes; otherwise it never helps.
     */
    private static Assignment refused(
        SlotRequest request, PlacementRequest placement, SlotPolicy policy, long freeMicros) {
      if (freeMicros > Micros.LATEST) {
        return new Assignment.NoCapacity(request, Optional.empty(), Optional.empty());
      }
      boolean movesWithTime =
          policy.notBefore() == NotBefore.NOW || request.requestedTime().isEmpty();
      long waitMicros = freeMicros - PolicyTimes.maxDelayMicros(policy) - placement.nowMicros();
      return new Assignment.NoCapacity(
          request,
          Optional.of(Micros.instant(freeMicros)),
          movesWithTime
              ? Optional.of(Micros.duration(Math.max(waitMicros, Micros.PER_SECOND)))
              : Optional.empty());
    }
  }
}
