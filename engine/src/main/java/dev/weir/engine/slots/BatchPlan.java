package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.NotBefore;
import dev.weir.core.slots.OccupancyView;
import dev.weir.core.slots.Page;
import dev.weir.core.slots.Placement;
import dev.weir.core.slots.PlacementRequest;
import dev.weir.core.slots.Planner;
import dev.weir.core.slots.SlotPolicy;
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
 * What a ledger does between locking and writing: the answers to a batch of demands and the slots
 * to write. Written once, so that ledgers cannot disagree.
 *
 * @param replies one for each demand, in order
 * @param fresh the slots that are new
 * @param uncounted by configuration name, the first window that has yet to be counted for a demand
 */
public record BatchPlan(List<AssignReply> replies, List<Slot> fresh, Map<String, Long> uncounted) {

  /**
   * Plans a batch.
   *
   * @param known the slots that events of this batch have or had, by event id
   * @param books the open books, by configuration name. With {@link WaitMode#NONE} one that is
   *     missing is locked, else it is unknown
   * @param patience with {@link WaitMode#FOR_ALL}, what follows a deferred demand is deferred too
   */
  public static BatchPlan of(
      List<AssignRequest> demands,
      Map<String, Slot> known,
      Map<String, ? extends LockedWindows> books,
      WaitMode patience,
      Instant now,
      RandomGenerator random) {
    Planning planning = new Planning(known, books, patience, now, random);
    List<AssignReply> replies = new ArrayList<>(demands.size());
    for (AssignRequest demand : demands) {
      replies.add(planning.reply(demand.request()));
    }
    return new BatchPlan(replies, planning.fresh, planning.uncounted);
  }

  /** The answers of a plan that deferred nothing. */
  public List<Assignment> answers() {
    return replies.stream().map(Assignment.class::cast).toList();
  }

  /** Whether some demand gets no slot, not even later. */
  public boolean refusesAny() {
    return replies.stream()
        .anyMatch(
            reply ->
                switch (reply) {
                  case Assignment.Assigned assigned -> false;
                  case Assignment.NoRoom noRoom -> true;
                  case Assignment.UnknownConfig unknown -> true;
                  case AssignReply.Deferred deferred -> false;
                });
  }

  private static final class Planning {
    private final Map<String, Slot> known;
    private final Map<String, ? extends LockedWindows> books;
    private final WaitMode patience;
    private final Instant now;
    private final long nowMicros;
    private final RandomGenerator random;
    private final List<Slot> fresh = new ArrayList<>();
    private final Map<String, Slot> freshById = new HashMap<>();
    private final Map<String, Long> uncounted = new HashMap<>();
    private final Set<String> deferredIds = new HashSet<>();

    Planning(
        Map<String, Slot> known,
        Map<String, ? extends LockedWindows> books,
        WaitMode patience,
        Instant now,
        RandomGenerator random) {
      this.known = known;
      this.books = books;
      this.patience = patience;
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
      boolean follows = patience == WaitMode.FOR_ALL && !uncounted.isEmpty();
      // Of an event that asked twice, the first one decides.
      if (follows || deferredIds.contains(request.eventId())) {
        return AssignReply.Deferred.UNCOUNTED;
      }
      LockedWindows book = books.get(request.configName());
      if (book != null) {
        return place(request, book);
      }
      return switch (patience) {
        case NONE -> AssignReply.Deferred.LOCKED;
        case FOR_LOCKS, FOR_ALL -> new Assignment.UnknownConfig(request);
      };
    }

    private AssignReply place(SlotRequest request, LockedWindows book) {
      PlacementRequest wish = new PlacementRequest(request.requestedMicros(nowMicros), nowMicros);
      OccupancyView picture = book.picture();
      boolean trimmed = false;
      while (true) {
        switch (Planner.place(picture, wish, random)) {
          case Placement.Unknown unknown -> {
            if (!trimmed) {
              // Once: the search begins anew each time, and needs the pages that it has read.
              book.trim();
              trimmed = true;
            }
            Optional<Page> page = book.page(unknown.fromMicros());
            if (page.isEmpty()) {
              uncounted.merge(book.config().name(), unknown.fromMicros(), Math::min);
              deferredIds.add(request.eventId());
              return AssignReply.Deferred.UNCOUNTED;
            }
            picture.add(page.get());
          }
          case Placement.Placed placed -> {
            return assigned(request, wish, book.config(), placed);
          }
          case Placement.NoRoom noRoom -> {
            return refused(request, wish, book.config().terms(), noRoom.freeMicros());
          }
        }
      }
    }

    private Assignment assigned(
        SlotRequest request, PlacementRequest wish, SlotConfig config, Placement.Placed placed) {
      Slot slot =
          new Slot(
              request.eventId(),
              config.name(),
              config.version(),
              Micros.instant(wish.requestedMicros()),
              Micros.instant(placed.windowStartMicros()),
              placed.place(),
              Micros.instant(placed.scheduledMicros()),
              SlotState.ASSIGNED,
              now);
      fresh.add(slot);
      freshById.put(slot.eventId(), slot);
      return new Assignment.Assigned(slot, false, placed.lookahead());
    }

    /** The longest delay counts from now, and so reaches further with time, or it never does. */
    private static Assignment refused(
        SlotRequest request, PlacementRequest wish, SlotPolicy terms, long freeMicros) {
      if (freeMicros > Micros.LATEST) {
        return new Assignment.NoRoom(request, Assignment.NoRoom.NOWHERE, Assignment.NoRoom.NEVER);
      }
      boolean movesWithTime =
          terms.notBefore() == NotBefore.NOW || request.requestedTime().equals(SlotRequest.NOW);
      long waitMicros = freeMicros - terms.maxDelayMicros() - wish.nowMicros();
      return new Assignment.NoRoom(
          request,
          Micros.instant(freeMicros),
          movesWithTime
              ? Micros.duration(Math.max(waitMicros, Micros.PER_SECOND))
              : Assignment.NoRoom.NEVER);
    }
  }
}
