package dev.weir.server.verify;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;

/** A row of {@code slot_window}. */
record WindowFact(long startMicros, int taken, boolean isFull, BitSet places) {
  static final String SELECT =
      """
      select start_micros, taken, is_full, places from slot_window
      where config_id = ? and grid = ? and start_micros >= ? and start_micros < ?
      order by start_micros
      """;

  static WindowFact read(ResultSet row) throws SQLException {
    byte[] places = row.getBytes(4);
    // To Oracle, no bytes are null.
    return new WindowFact(
        row.getLong(1),
        row.getInt(2),
        row.getBoolean(3),
        places == null ? new BitSet() : BitSet.valueOf(places));
  }
}
