package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.store.jdbc.internal.Sql;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes to Oracle by statements with arrays of parameters: one for the slots, and one for
 * everything else that changes, which is why sequence numbers, windows and runs share a table.
 */
final class OracleSlotWriter implements SlotWriter {
  private static final String REMOVE_ENDED =
      "delete from slot where event_id = ? and state in (2, 3)";

  private static final String INSERT_SLOT =
      """
      insert into slot (event_id, config_id, version, requested, window_start, place, scheduled,
                        assigned_at, state)
      values (?, ?, ?, ?, ?, ?, ?, ?, 0)
      """;

  private static final String PUT_OCCUPANCY =
      """
      merge /*+ index(o slot_occupancy_key) */ into slot_occupancy o using dual
      on (o.config_id = ? and o.grid = ? and o.kind = ? and o.start_micros = ?)
      when matched then update
      set o.until_micros = ?, o.taken = ?, o.off_grid = ?, o.is_full = ?, o.places = ?
      when not matched then insert
        (config_id, grid, kind, start_micros, until_micros, taken, off_grid, is_full, places)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """;

  /** Longer values are bound as a {@link Blob}: a merge accepts no others. */
  private static final int MAX_RAW_BYTES = 2_000;

  private final List<OccupancyRow> occupancy;
  private final List<List<Object>> slots = new ArrayList<>();
  private List<List<Object>> ended = List.of();

  OracleSlotWriter(List<OccupancyRow> changes) {
    this.occupancy = changes;
  }

  private static List<Object> parameters(OccupancyRow row, Object places) {
    List<Object> key = List.of(row.configId(), row.grid(), row.kind(), row.startMicros());
    List<Object> values =
        List.of(row.untilMicros(), row.taken(), row.offGrid(), row.isFull() ? 1 : 0, places);
    List<Object> parameters = new ArrayList<>(key);
    parameters.addAll(values);
    parameters.addAll(key);
    parameters.addAll(values);
    return parameters;
  }

  @Override
  public SlotWriter slots(
      List<Slot> fresh, Collection<String> ended, Map<String, JdbcWindows> byName) {
    this.ended = ended.stream().sorted().map(List::<Object>of).toList();
    // In the order of ids, so that two transactions with common ids cannot deadlock.
    fresh.stream()
        .sorted(Comparator.comparing(Slot::eventId))
        .forEach(
            slot ->
                slots.add(
                    List.of(
                        slot.eventId(),
                        Objects.requireNonNull(byName.get(slot.configName())).row().configId(),
                        slot.configVersion(),
                        Micros.ceil(slot.requestedTime()),
                        Micros.ceil(slot.windowStart()),
                        slot.place(),
                        Micros.ceil(slot.scheduledTime()),
                        Micros.ceil(slot.assignedAt()))));
    return this;
  }

  /** The transaction commits by a round trip of its own. */
  @Override
  public void sendAndCommit(Connection connection) throws SQLException {
    send(connection);
  }

  @Override
  public void send(Connection connection) throws SQLException {
    if (!ended.isEmpty()) {
      Sql.batch(connection, REMOVE_ENDED, ended);
    }
    if (!slots.isEmpty()) {
      Sql.batch(connection, INSERT_SLOT, slots);
    }
    if (!occupancy.isEmpty()) {
      putOccupancy(connection);
    }
  }

  private void putOccupancy(Connection connection) throws SQLException {
    List<List<Object>> rows = new ArrayList<>();
    List<Blob> blobs = new ArrayList<>();
    for (OccupancyRow row : occupancy) {
      byte[] places = row.places();
      if (places != null && places.length > MAX_RAW_BYTES) {
        Blob blob = connection.createBlob();
        blob.setBytes(1, places);
        blobs.add(blob);
        rows.add(parameters(row, blob));
      } else {
        rows.add(parameters(row, Sql.orNull(places)));
      }
    }
    Sql.batch(connection, PUT_OCCUPANCY, rows);
    // If the statement fails, they end with the session.
    for (Blob blob : blobs) {
      blob.free();
    }
  }
}
