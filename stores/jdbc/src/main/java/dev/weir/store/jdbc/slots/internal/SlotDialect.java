package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import dev.weir.slots.WindowCount;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.internal.Dialect;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The statements about slots that differ between databases; all others are standard SQL. Stateless.
 *
 * <p>Every transaction that changes the windows of a configuration locks the configuration first,
 * and advances its sequence number.
 */
interface SlotDialect {
  /** Returns the dialect of a database. */
  static SlotDialect of(Dialect database) {
    return switch (database) {
      case POSTGRESQL -> PostgresqlSlots.INSTANCE;
      case ORACLE -> OracleSlots.INSTANCE;
    };
  }

  Dialect database();

  // ---- configurations

  /** Selects configurations {@code c}, in the columns of {@link ConfigRow}, without a condition. */
  String selectConfigs();

  /** Locks a configuration. */
  Optional<ConfigRow> lock(Connection connection, StoreClock clock, String name)
      throws SQLException;

  /** Locks a configuration; empty if another transaction holds the lock. */
  Optional<ConfigRow> lockIfFree(Connection connection, StoreClock clock, String name)
      throws SQLException;

  /** Creates a configuration at version 1, with a random sequence number; returns its id. */
  int create(Connection connection, String name) throws SQLException;

  /**
   * Changes a locked configuration and advances its sequence number by a random step.
   *
   * @param next has the grid to store
   */
  void change(Connection connection, ConfigRow next, int version) throws SQLException;

  /** Advances the sequence number of a locked configuration by a random step. */
  void advance(Connection connection, ConfigRow row) throws SQLException;

  /** Reads the row of a configuration without locking it. */
  default Optional<ConfigRow> find(Connection connection, StoreClock clock, String name)
      throws SQLException {
    return Sql.first(
        connection,
        row -> ConfigRow.read(row, database(), clock),
        selectConfigs() + "where c.name = ?",
        name);
  }

  // ---- batches

  /**
   * What a batch locks before it is planned.
   *
   * @param waits whether to wait for configurations that another transaction has locked, or to skip
   *     them
   * @param eventIds the events to look up, in order; empty to look up none
   * @param views this node's cached views
   * @param clock reads the time
   */
  record BatchLock(
      Collection<String> configNames,
      boolean waits,
      List<String> eventIds,
      OccupancyCache views,
      StoreClock clock) {}

  /**
   * Locks the configurations of a batch, in the order of their ids, and then looks events up.
   *
   * @param known receives the slots that events have already
   */
  List<ConfigRow> lockBatch(Connection connection, BatchLock lock, Map<String, Slot> known)
      throws SQLException;

  /** Returns a writer for a transaction that has advanced the sequence number already. */
  SlotWriter writer(Collection<JdbcWindows> configs);

  /**
   * Returns a writer that advances the sequence numbers.
   *
   * @param configs locked by this transaction
   */
  SlotWriter advancingWriter(Collection<JdbcWindows> configs, int step);

  /**
   * Returns a writer for one auto-committed statement, which writes only if the sequence numbers
   * and the time are as expected.
   *
   * @param waits whether to wait for locks, or to write nothing if one is held
   */
  OptimisticWriter optimisticWriter(
      Collection<JdbcWindows> configs,
      int step,
      long nowMicros,
      EstimatedClock.Precision precision,
      boolean waits);

  /** Returns true if a batch may be tried without locking first. */
  boolean isOptimistic(List<AssignRequest> requests);

  // ---- windows

  /** A range of windows to read, with bounds on the rows to return. */
  record PageQuery(ConfigRow row, long fromMicros, long untilMicros, int maxWindows, int maxRuns) {}

  /**
   * Reads windows that have free places, and the runs of full ones: the one that covers or touches
   * the begin, and those after it. Both are returned in order.
   */
  void readPage(Connection connection, PageQuery query, List<Window> windows, List<Page.Run> runs)
      throws SQLException;

  /** Receives slots that hold places. */
  interface SlotVisitor {
    /**
     * Returns whether to go on with the next slot.
     *
     * @param windowMicros size of the windows that it was assigned in
     */
    boolean visit(long scheduledMicros, int place, long windowMicros) throws SQLException;
  }

  /**
   * Visits all slots that hold a place in a range of time, in the order of time, until the visitor
   * has enough. Reads little more than it visits, in portions: memory is bounded for any number.
   */
  void visitSlots(
      Connection connection, ConfigRow row, long fromMicros, long untilMicros, SlotVisitor visitor)
      throws SQLException;

  /** Visits rows of time, place and window size. Returns whether to go on. */
  static boolean visitAll(ResultSet rows, SlotVisitor visitor) throws SQLException {
    while (rows.next()) {
      if (!visitor.visit(rows.getLong(1), rows.getInt(2), rows.getLong(3))) {
        return false;
      }
    }
    return true;
  }

  /** Counts the slots of each window that has any. */
  List<WindowCount> countWindows(Connection connection, WindowRange range) throws SQLException;

  /**
   * Windows that are counted from their slots.
   *
   * @param fromMicros start of the first window
   * @param untilMicros end of the last window
   * @param max max windows to return
   */
  record WindowRange(int configId, long sizeMicros, long fromMicros, long untilMicros, int max) {}

  /** Stores a span whose windows were counted, in place of one with the same begin. */
  void storeSpan(Connection connection, ConfigRow row, CountedSpan span) throws SQLException;

  // ---- slots

  /** Returns true if one of the events has a slot. */
  boolean isAnyKnown(Connection connection, List<String> eventIds) throws SQLException;

  /** Lists slots by time and id. */
  List<Slot> list(Connection connection, SlotRange range) throws SQLException;

  /**
   * Slots of one state, in the order of their times and ids.
   *
   * @param afterId the id after which slots at {@code fromMicros} begin; empty for all of them
   * @param untilMicros end, exclusive
   * @param max max slots to return
   */
  record SlotRange(
      String configName,
      SlotState state,
      long fromMicros,
      String afterId,
      long untilMicros,
      int max) {}

  /**
   * Locks the slot of an event.
   *
   * @param waits whether to wait if another transaction has locked it, or to find none
   */
  Optional<Slot> lockSlot(Connection connection, String eventId, boolean waits) throws SQLException;

  /** Locks those of the slots that are assigned and were due and assigned before a time. */
  List<Slot> lockLeaked(
      Connection connection, ConfigRow row, List<String> eventIds, long beforeMicros)
      throws SQLException;

  void setState(Connection connection, List<String> eventIds, SlotState state) throws SQLException;

  /** Returns the statements of upkeep. */
  SlotUpkeepDialect upkeep();
}
