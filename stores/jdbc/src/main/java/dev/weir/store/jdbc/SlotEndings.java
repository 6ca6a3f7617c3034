package dev.weir.store.jdbc;

import dev.weir.core.Micros;
import dev.weir.core.slots.NotBefore;
import dev.weir.core.slots.Terms;
import dev.weir.engine.slots.Slot;
import dev.weir.engine.slots.SlotConfig;
import dev.weir.engine.slots.SlotState;
import dev.weir.engine.slots.Transition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How slots end: confirmed, cancelled, reclaimed; and how their places become free. */
final class SlotEndings {
  private static final String LOCK_SLOT =
      "select " + SlotRow.COLUMNS + SlotRow.FROM + " where s.event_id = ? for update of s";

  /** Finds no row if another transaction holds it. */
  private static final String LOCK_FREE_SLOT = LOCK_SLOT + " skip locked";

  private static final String LOCK_LEAKED =
      "select "
          + SlotRow.COLUMNS
          + SlotRow.FROM
          + """
          where s.event_id = any(?) and s.config_id = ? and s.state = 0
            and s.scheduled < ? and s.assigned_at < ?
          order by s.event_id for update of s
          """;

  private static final String SET_STATE = "update slot set state = ? where event_id = any(?)";

  private SlotEndings() {}

  /** What came of trying to end a slot. */
  sealed interface Ending {
    record Ended(Transition transition) implements Ending {}

    /** Another transaction holds the slot or its configuration, so nothing was done. */
    record Held(String configName) implements Ending {}

    /** The transition, if the transaction waited for its locks. */
    default Transition waitedFor() {
      return switch (this) {
        case Ended ended -> ended.transition();
        case Held held ->
            throw new IllegalStateException("no lock of " + held.configName() + " after waiting");
      };
    }
  }

  /**
   * Confirms a slot.
   *
   * @param waits whether it waits for the slot while another transaction holds it
   */
  static Ending confirm(Connection connection, String eventId, boolean waits) throws SQLException {
    Optional<Slot> found =
        Sql.first(connection, SlotRow::read, waits ? LOCK_SLOT : LOCK_FREE_SLOT, eventId);
    if (found.isEmpty()) {
      return noRow(connection, eventId, waits);
    }
    Slot slot = found.get();
    if (!slot.state().holds()) {
      return new Ending.Ended(new Transition.Conflict(slot));
    }
    if (slot.state() == SlotState.ASSIGNED) {
      setState(connection, List.of(slot), SlotState.CONFIRMED);
    }
    return new Ending.Ended(new Transition.Done(slot.in(SlotState.CONFIRMED)));
  }

  /**
   * A new slot of an event that was cancelled replaces the row of the old one. Waiting for a row
   * that is replaced meanwhile ends with no row, although the event was known all the time.
   */
  private static Ending noRow(Connection connection, String eventId, boolean waited)
      throws SQLException {
    Optional<Slot> seen = SlotReads.find(connection, eventId);
    if (seen.isEmpty()) {
      return new Ending.Ended(new Transition.Unknown());
    }
    if (waited) {
      throw new SQLException("the event has a new slot", Transactions.TRY_AGAIN);
    }
    return new Ending.Held(seen.get().configName());
  }

  /** How to lock a book by its name; empty if that would take too long. */
  interface BookLock {
    Optional<BookRow> of(String configName) throws SQLException;
  }

  /**
   * Cancels a slot.
   *
   * <p>The book first, then the slot: the order in which all transactions lock. Which book it is
   * can only be read without a lock, so it may be another one by the time that both are locked: an
   * event that was cancelled may have a new slot of another configuration. Then both locks are
   * given back before the other book is tried.
   */
  static Ending cancel(Connection connection, String eventId, BookLock lock) throws SQLException {
    Optional<Slot> seen = SlotReads.find(connection, eventId);
    if (seen.isEmpty()) {
      return new Ending.Ended(new Transition.Unknown());
    }
    Optional<BookRow> book = lock.of(seen.get().configName());
    if (book.isEmpty()) {
      return new Ending.Held(seen.get().configName());
    }
    Optional<Slot> found = Sql.first(connection, SlotRow::read, LOCK_SLOT, eventId);
    return found.isPresent()
        ? new Ending.Ended(cancel(connection, book.get(), found.get()))
        : noRow(connection, eventId, true);
  }

  private static Transition cancel(Connection connection, BookRow book, Slot slot)
      throws SQLException {
    if (!slot.configName().equals(book.name())) {
      throw new SQLException(
          "the event has a slot of another configuration now", Transactions.TRY_AGAIN);
    }
    return switch (slot.state()) {
      case CANCELLED, RECLAIMED -> new Transition.Done(slot);
      case CONFIRMED -> new Transition.Conflict(slot);
      case ASSIGNED -> {
        end(connection, book, List.of(slot), SlotState.CANCELLED);
        yield new Transition.Done(slot.in(SlotState.CANCELLED));
      }
    };
  }

  /**
   * Takes back those of some slots of one configuration that are still leaked once the book is
   * locked. They were found without the lock: how long that takes depends on how many slots there
   * are.
   */
  static int reclaim(
      Connection connection, StoreClock clock, BookRow seen, String[] eventIds, long before)
      throws SQLException {
    BookRow book = BookRow.lock(connection, clock, seen.name()).orElseThrow();
    List<Slot> leaked =
        Sql.list(connection, SlotRow::read, LOCK_LEAKED, eventIds, book.configId(), before, before);
    if (!leaked.isEmpty()) {
      end(connection, book, leaked, SlotState.RECLAIMED);
    }
    return leaked.size();
  }

  private static void end(Connection connection, BookRow row, List<Slot> slots, SlotState state)
      throws SQLException {
    setState(connection, slots, state);
    SlotConfig config = ConfigRow.inForce(connection, row);
    boolean keepsPast = config.terms().notBefore() == NotBefore.REQUESTED;
    List<Slot> toFree =
        slots.stream()
            .filter(slot -> keepsPast || Micros.ceil(slot.scheduledTime()) > row.nowMicros())
            .toList();
    if (!toFree.isEmpty()) {
      JdbcBook book = new JdbcBook(connection, row, config);
      free(connection, book, toFree);
    }
  }

  /** Many windows may be freed, and be large: they are written in portions. */
  private static void free(Connection connection, JdbcBook book, List<Slot> slots)
      throws SQLException {
    Terms terms = book.config().terms();
    Map<Long, List<Integer>> placesByWindow = new TreeMap<>();
    for (Slot slot : slots) {
      long start = terms.windowStart(Micros.ceil(slot.scheduledTime()));
      placesByWindow.computeIfAbsent(start, any -> new ArrayList<>()).add(slot.place());
    }
    Gate gate = Gate.locked(List.of(book), Batch.newStep());
    for (Map.Entry<Long, List<Integer>> window : placesByWindow.entrySet()) {
      book.free(window.getKey(), window.getValue());
      if (book.isLarge()) {
        SlotWriter.of(List.of(book), gate).send(connection);
        gate = Gate.OPEN;
        book.trim();
      }
    }
    SlotWriter.of(List.of(book), gate).send(connection);
  }

  private static void setState(Connection connection, List<Slot> slots, SlotState state)
      throws SQLException {
    Sql.update(
        connection,
        SET_STATE,
        SlotRow.code(state),
        slots.stream().map(Slot::eventId).toArray(String[]::new));
  }
}
