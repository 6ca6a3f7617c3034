package dev.weir.store.jdbc.slots.internal;

import dev.weir.store.jdbc.internal.ExclusiveTask;
import java.sql.Connection;
import java.sql.SQLException;

/** The statements about the upkeep of slots that differ between databases. Stateless. */
interface SlotUpkeepDialect {
  /** Counts up to {@code max} assigned slots that were due and assigned before a time. */
  long countLeaked(Connection connection, long beforeMicros, int max) throws SQLException;

  /**
   * Removes the slots of a range of whole windows that were assigned before a time, except those in
   * windows with a slot that was assigned later.
   */
  int removeSlots(Connection connection, RemovedSlots slots) throws SQLException;

  /**
   * Slots to remove.
   *
   * @param sizeMicros size of the windows
   * @param beforeMicros slots assigned from this time on are too young
   */
  record RemovedSlots(
      int configId, long sizeMicros, long fromMicros, long untilMicros, long beforeMicros) {}

  /** Removes up to {@code max} windows that start before a time. */
  int removeWindows(Connection connection, ConfigRow row, long cutMicros, int max)
      throws SQLException;

  /** Removes the runs before a time, and cuts the one that contains it. */
  void cutRuns(Connection connection, ConfigRow row, long cutMicros) throws SQLException;

  /** Removes up to {@code max} rows of each kind that are never read again. */
  int removeUnused(ExclusiveTask task, int max);
}
