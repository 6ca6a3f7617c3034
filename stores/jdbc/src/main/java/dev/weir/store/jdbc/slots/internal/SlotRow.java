package dev.weir.store.jdbc.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Reads slots from rows of {@code slot s join slot_config c}. */
final class SlotRow {
  static final String COLUMNS =
      "s.event_id, c.name, s.version, s.requested, s.window_start, s.place, s.scheduled, s.state,"
          + " s.assigned_at";

  static final String FROM = " from slot s join slot_config c on c.config_id = s.config_id ";

  private static final List<SlotState> STATES = List.of(SlotState.values());

  private SlotRow() {}

  static Slot read(ResultSet row) throws SQLException {
    return new Slot(
        row.getString(1),
        row.getString(2),
        row.getInt(3),
        Micros.instant(row.getLong(4)),
        Micros.instant(row.getLong(5)),
        row.getInt(6),
        Micros.instant(row.getLong(7)),
        STATES.get(row.getInt(8)),
        Micros.instant(row.getLong(9)));
  }

  static short code(SlotState state) {
    return (short) STATES.indexOf(state);
  }
}
