package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Writes slots, windows, runs and sequence numbers of one transaction that has locked the
 * configurations. The changes of windows and runs are taken from the views when the writer is
 * created; a writer is used once.
 */
interface SlotWriter {
  /** Adds new slots; {@code ended} are events whose earlier slots are replaced. */
  SlotWriter slots(List<Slot> fresh, Collection<String> ended, Map<String, JdbcWindows> byName);

  /** Sends everything, together with the commit where that saves a round trip. */
  void sendAndCommit(Connection connection) throws SQLException;

  /** Sends everything. */
  void send(Connection connection) throws SQLException;
}
