package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Writes slots, windows, runs and sequence numbers of one transaction. The changes of windows and
 * runs are taken from the views when the writer is created; a writer is used once.
 */
interface SlotWriter {
  /** Adds new slots; {@code ended} are events whose earlier slots are replaced. */
  SlotWriter slots(List<Slot> fresh, Collection<String> ended, Map<String, JdbcWindows> byName);

  /** Returns true if everything that was added fits into one statement. */
  default boolean fits() {
    return true;
  }

  /** Sends everything, together with the commit where that saves a round trip. */
  void sendAndCommit(Connection connection) throws SQLException;

  /** Sends everything. */
  void send(Connection connection) throws SQLException;

  /** Sends everything; returns the database's time, or empty if nothing was written. */
  OptionalLong sendIfCurrent(Connection connection) throws SQLException;
}
