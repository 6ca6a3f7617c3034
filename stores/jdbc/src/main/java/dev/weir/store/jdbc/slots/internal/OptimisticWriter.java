package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Writes what {@link SlotWriter} does in one statement, without a lock, if the cached views are
 * still current. A writer is used once.
 */
interface OptimisticWriter {
  /** Adds new slots. */
  OptimisticWriter slots(List<Slot> fresh, Map<String, JdbcWindows> byName);

  /** Returns true if everything that was added fits into one statement. */
  default boolean fits() {
    return true;
  }

  /** Sends everything; returns the database's time, or empty if nothing was written. */
  OptionalLong sendIfCurrent(Connection connection) throws SQLException;
}
