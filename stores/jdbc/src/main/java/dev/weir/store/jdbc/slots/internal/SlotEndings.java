package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.NotBefore;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotState;
import dev.weir.slots.Transition;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.RandomStep;
import dev.weir.store.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How slots end: confirmed, cancelled, reclaimed; and how their places become free. */
final class SlotEndings {
  private SlotEndings() {}

  /** The result of an attempt to end a slot. */
  sealed interface Ending {
    record Ended(Transition transition) implements Ending {}

    /** Another transaction holds the slot or its configuration, so nothing was done. */
    record Locked(String configName) implements Ending {}
  }

  /** Confirms a slot, unless another transaction has locked it. */
  static Ending confirmIfFree(SlotDialect dialect, Connection connection, String eventId)
      throws SQLException {
    Optional<Slot> found = dialect.lockSlot(connection, eventId, false);
    if (found.isPresent()) {
      return new Ending.Ended(confirm(dialect, connection, found.get()));
    }
    Optional<Slot> seen = SlotReads.find(connection, eventId);
    return seen.isPresent()
        ? new Ending.Locked(seen.get().configName())
        : new Ending.Ended(new Transition.Unknown());
  }

  /** Confirms a slot, and waits for it while another transaction has locked it. */
  static Transition confirm(SlotDialect dialect, Connection connection, String eventId)
      throws SQLException {
    Optional<Slot> found = dialect.lockSlot(connection, eventId, true);
    return found.isPresent()
        ? confirm(dialect, connection, found.get())
        : noRow(connection, eventId);
  }

  private static Transition confirm(SlotDialect dialect, Connection connection, Slot slot)
      throws SQLException {
    if (!slot.state().holds()) {
      return new Transition.Conflict(slot);
    }
    if (slot.state() == SlotState.ASSIGNED) {
      dialect.setState(connection, List.of(slot.eventId()), SlotState.CONFIRMED);
    }
    return new Transition.Done(slot.in(SlotState.CONFIRMED));
  }

  /**
   * Decides what a missing row means after waiting for it. A new slot of a cancelled event replaces
   * the old row, so waiting for a row that is replaced meanwhile finds none, although the event was
   * known all the time.
   */
  private static Transition noRow(Connection connection, String eventId) throws SQLException {
    if (SlotReads.find(connection, eventId).isPresent()) {
      throw new SQLException("the event has a new slot", Transactions.TRY_AGAIN);
    }
    return new Transition.Unknown();
  }

  /** Locks a configuration by its name; empty if that would take too long. */
  interface ConfigLock {
    Optional<ConfigRow> of(String configName) throws SQLException;
  }

  /**
   * Cancels a slot if its configuration can be locked.
   *
   * <p>Locks the configuration first, then the slot, in the order in which all transactions lock.
   * The slot's configuration has to be read without a lock, so it may have changed by the time both
   * are locked: a cancelled event may have a new slot of another configuration. Then both locks are
   * released before the other configuration is tried.
   */
  static Ending cancelIfFree(
      SlotDialect dialect, Connection connection, String eventId, ConfigLock lock)
      throws SQLException {
    Optional<Slot> seen = SlotReads.find(connection, eventId);
    if (seen.isEmpty()) {
      return new Ending.Ended(new Transition.Unknown());
    }
    Optional<ConfigRow> configRow = lock.of(seen.get().configName());
    return configRow.isPresent()
        ? new Ending.Ended(cancel(dialect, connection, configRow.get(), eventId))
        : new Ending.Locked(seen.get().configName());
  }

  /** Cancels a slot as {@link #cancelIfFree} does, and waits for its configuration. */
  static Transition cancel(
      SlotDialect dialect, Connection connection, StoreClock clock, String eventId)
      throws SQLException {
    Optional<Slot> seen = SlotReads.find(connection, eventId);
    return seen.isPresent()
        ? cancel(
            dialect,
            connection,
            dialect.lock(connection, clock, seen.get().configName()).orElseThrow(),
            eventId)
        : new Transition.Unknown();
  }

  private static Transition cancel(
      SlotDialect dialect, Connection connection, ConfigRow configRow, String eventId)
      throws SQLException {
    Optional<Slot> found = dialect.lockSlot(connection, eventId, true);
    return found.isPresent()
        ? cancel(dialect, connection, configRow, found.get())
        : noRow(connection, eventId);
  }

  private static Transition cancel(
      SlotDialect dialect, Connection connection, ConfigRow configRow, Slot slot)
      throws SQLException {
    if (!slot.configName().equals(configRow.name())) {
      throw new SQLException(
          "the event has a slot of another configuration now", Transactions.TRY_AGAIN);
    }
    return switch (slot.state()) {
      case CANCELLED, RECLAIMED -> new Transition.Done(slot);
      case CONFIRMED -> new Transition.Conflict(slot);
      case ASSIGNED -> {
        end(dialect, connection, configRow, List.of(slot), SlotState.CANCELLED);
        yield new Transition.Done(slot.in(SlotState.CANCELLED));
      }
    };
  }

  /**
   * Reclaims those slots of a configuration that are still leaked once it is locked. They are
   * searched for without the lock, because the search takes longer the more slots there are.
   */
  static int reclaim(
      SlotDialect dialect,
      Connection connection,
      StoreClock clock,
      ConfigRow seen,
      List<String> eventIds,
      long before)
      throws SQLException {
    ConfigRow configRow = dialect.lock(connection, clock, seen.name()).orElseThrow();
    List<Slot> leaked = dialect.lockLeaked(connection, configRow, eventIds, before);
    if (!leaked.isEmpty()) {
      end(dialect, connection, configRow, leaked, SlotState.RECLAIMED);
    }
    return leaked.size();
  }

  private static void end(
      SlotDialect dialect, Connection connection, ConfigRow row, List<Slot> slots, SlotState state)
      throws SQLException {
    dialect.setState(connection, slots.stream().map(Slot::eventId).toList(), state);
    SlotConfig config = ConfigVersionRow.inForce(connection, row);
    boolean keepsPast = config.policy().notBefore() == NotBefore.REQUESTED;
    List<Slot> toFree =
        slots.stream()
            .filter(slot -> keepsPast || Micros.ceil(slot.scheduledTime()) > row.nowMicros())
            .toList();
    if (!toFree.isEmpty()) {
      free(dialect, connection, new JdbcWindows(dialect, connection, row, config), toFree);
    }
  }

  /** Writes in portions, because there may be many windows and they may be large. */
  private static void free(
      SlotDialect dialect, Connection connection, JdbcWindows windows, List<Slot> slots)
      throws SQLException {
    SlotPolicy policy = windows.config().policy();
    Map<Long, List<Integer>> placesByWindow = new TreeMap<>();
    for (Slot slot : slots) {
      long start = policy.windowStart(Micros.ceil(slot.scheduledTime()));
      placesByWindow.computeIfAbsent(start, any -> new ArrayList<>()).add(slot.place());
    }
    boolean isAdvanced = false;
    for (Map.Entry<Long, List<Integer>> window : placesByWindow.entrySet()) {
      windows.free(window.getKey(), window.getValue());
      if (windows.isLarge()) {
        writer(dialect, windows, isAdvanced).send(connection);
        isAdvanced = true;
        windows.trim();
      }
    }
    writer(dialect, windows, isAdvanced).send(connection);
  }

  private static SlotWriter writer(SlotDialect dialect, JdbcWindows windows, boolean isAdvanced) {
    return isAdvanced
        ? dialect.writer(List.of(windows))
        : dialect.advancingWriter(List.of(windows), RandomStep.next());
  }
}
