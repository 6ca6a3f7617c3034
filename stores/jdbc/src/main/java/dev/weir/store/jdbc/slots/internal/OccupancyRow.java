package dev.weir.store.jdbc.slots.internal;

import dev.weir.slots.planning.internal.OccupancyView;
import dev.weir.slots.planning.internal.Page;
import dev.weir.slots.planning.internal.Window;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of Oracle's table {@code slot_occupancy}.
 *
 * @param kind {@link #LOCK}, {@link #WINDOW} or {@link #RUN}
 * @param untilMicros the end of the window or run; the sequence number of a lock
 * @param places the taken places of a window
 */
@SuppressWarnings("ArrayRecordComponent") // Written as soon as it is made, never compared.
record OccupancyRow(
    int configId,
    int grid,
    int kind,
    long startMicros,
    long untilMicros,
    int taken,
    int offGrid,
    boolean isFull,
    byte @Nullable [] places) {
  static final int LOCK = 0;
  static final int WINDOW = 1;
  static final int RUN = 2;

  /** Takes the changes from the views. */
  static List<OccupancyRow> changes(Collection<JdbcWindows> configs) {
    List<OccupancyRow> rows = new ArrayList<>();
    for (JdbcWindows config : configs) {
      // Plans change only stored windows, so all changes are written.
      OccupancyView.Changes changes = config.view().drainChanges();
      changes.windows().forEach(window -> rows.add(window(config, window)));
      // A removed run becomes an empty one: a merge cannot delete a row that it does not update.
      changes.removedRuns().forEach(from -> rows.add(run(config, from, from)));
      for (Page.Run run : changes.addedRuns()) {
        rows.add(run(config, run.fromMicros(), run.untilMicros()));
      }
    }
    return rows;
  }

  /** Takes the changes from the views, with sequence numbers that are advanced by a step. */
  static List<OccupancyRow> changes(Collection<JdbcWindows> configs, int step) {
    List<OccupancyRow> rows = new ArrayList<>();
    for (JdbcWindows config : configs) {
      ConfigRow row = config.row();
      rows.add(new OccupancyRow(row.configId(), 0, LOCK, 0, row.seq() + step, 0, 0, false, null));
    }
    rows.addAll(changes(configs));
    return rows;
  }

  private static OccupancyRow window(JdbcWindows config, Window window) {
    long start = window.startMicros();
    return new OccupancyRow(
        config.row().configId(),
        config.row().grid(),
        WINDOW,
        start,
        start + config.config().policy().windowMicros(),
        window.taken(),
        window.offGrid(),
        config.view().isFull(start),
        places(window));
  }

  /** Returns at least one byte: to Oracle, no bytes are null. */
  private static byte[] places(Window window) {
    byte[] places = window.toBytes();
    return places.length == 0 ? new byte[1] : places;
  }

  private static OccupancyRow run(JdbcWindows config, long fromMicros, long untilMicros) {
    return new OccupancyRow(
        config.row().configId(),
        config.row().grid(),
        RUN,
        fromMicros,
        untilMicros,
        0,
        0,
        false,
        null);
  }
}
